/* The memory that a process may use: limits of control groups, versions 1 and 2, nested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/output_file.h"

static char root[] = "/tmp/test_memory_XXXXXX";

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    assert_true(swe_folder_create(path));
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *groups, double limit)
{
    write_file("proc/self", "cgroup", groups);
    assert_true(swe_memory_limit(root) == limit);
}

static void the_least_limit_counts(void **state)
{
    (void)state;
    const double machine = swe_memory_limit("/nowhere");
    assert_true(machine > 1e8);
    write_file("sys/fs/cgroup/job/step", "memory.max", "max\n");
    write_file("sys/fs/cgroup/job", "memory.max", "30000000\n");
    write_file("sys/fs/cgroup/memory/slurm/job", "memory.limit_in_bytes", "20000000\n");
    write_file("sys/fs/cgroup/memory/slurm", "memory.limit_in_bytes", "9223372036854771712\n");
    expect("0::/\n", machine);
    expect("0::/job\n", 30000000.0);
    expect("0::/job/step/task\n", 30000000.0);
    expect("0::/elsewhere\n", machine);
    expect("5:cpu,cpuacct:/slurm/job\n4:memory:/slurm/job/task_0\n0::/job/step\n", 20000000.0);
    expect("4:memory:/slurm\nno group\n", machine);
    write_file("sys/fs/cgroup", "memory.max",
               "10000000\n"); /* of a container, which names its host's group */
    expect("0::/../host/group\n", 10000000.0);
}

int main(void)
{
    assert_non_null(mkdtemp(root));
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_least_limit_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
