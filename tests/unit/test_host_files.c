/* A file of fields that a rank writes, compares and reads at its places, for any blocks. (Tests of
 * several ranks: tests/cli/test_ranks_checkpoints.py.) */
#include "support/check.h"

#include "base/memory.h"
#include "fields/fields.h"
#include "state/host_fields_internal.h"
#include "support/random.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 40, FIELDS = 3, BEFORE = 100 /* bytes before the first field */ };

/* A model, two lists of its fields, and a file. */
typedef struct bench {
    swe_model *model;
    swe_host_fields *written, *read;
    char path[64];
    long long first[FIELDS];
    swe_field_places places;
} bench;

static long long bytes_of(int k, swe_precision precision)
{
    const swe_field *field = &swe_flow_fields.field[k];
    return (long long)SWE_PANELS * swe_field_rows(field, N) * swe_field_columns(field, N) *
           (long long)swe_precision_bytes(precision);
}

/* Values that are the same in both precisions; another one in every row and column. */
static void fill(const bench *t, swe_host_fields *fields)
{
    const swe_layout *layout = &t->model->grid->layout;
    swe_context ctx = {""};
    double *room = NULL;
    random_source random = {3};
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, (size_t)layout->panel, &room));
    for (int k = 0; k < FIELDS; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            for (ptrdiff_t at = 0; at < layout->panel; at++)
                room[at] = (double)(float)random_next(&random);
            swe_panels_set(swe_host_fields_panels(fields), k, panel, room);
        }
    free(room);
}

static void make_bench(bench *t, int blocks_1, int blocks_2, swe_precision precision)
{
    swe_context ctx = {""};
    const swe_model_options options = {.n = N,
                                       .order = 4,
                                       .physics = {.gravity = 1.0, .depth = 1.0, .radius = 1.0},
                                       .blocks_1 = blocks_1,
                                       .blocks_2 = blocks_2,
                                       .backend = "cpu",
                                       .threads = 1};
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &t->model));
    CHECK_OK(&ctx, swe_host_fields_create(&ctx, t->model, FIELDS, &t->written));
    CHECK_OK(&ctx, swe_host_fields_create(&ctx, t->model, FIELDS, &t->read));
    snprintf(t->path, sizeof t->path, "/tmp/test_host_files_XXXXXX");
    const int file = mkstemp(t->path);
    assert_true(file >= 0 && close(file) == 0);
    t->first[0] = BEFORE;
    for (int k = 1; k < FIELDS; k++)
        t->first[k] = t->first[k - 1] + bytes_of(k - 1, precision);
    t->places = (swe_field_places){t->path, "name", precision, FIELDS, t->first};
    fill(t, t->written);
}

static void end_bench(bench *t)
{
    unlink(t->path);
    swe_model_destroy(&t->model);
}

static swe_status use(const bench *t, swe_host_fields *fields, swe_file_access access,
                      swe_context *ctx)
{
    return host_fields_access_file(ctx, fields, &t->places, access);
}

static void a_file_reads_back_at_its_places(void **state)
{
    static const int blocks[][2] = {{1, 1}, {2, 1}, {1, 3}, {2, 4}};
    (void)state;
    for (int k = 0; k < 8; k++) {
        bench t;
        swe_context ctx = {""};
        make_bench(&t, blocks[k / 2][0], blocks[k / 2][1], (swe_precision)(k % 2));
        CHECK_OK(&ctx, use(&t, t.written, SWE_FILE_WRITE, &ctx));
        CHECK_OK(&ctx, use(&t, t.written, SWE_FILE_COMPARE, &ctx));
        assert_int_equal(use(&t, t.read, SWE_FILE_COMPARE, &ctx), SWE_IO);
        assert_string_equal(ctx.message, "name: the data read back differ from those written");
        CHECK_OK(&ctx, use(&t, t.read, SWE_FILE_READ, &ctx));
        CHECK_OK(&ctx, use(&t, t.read, SWE_FILE_COMPARE, &ctx));
        end_bench(&t);
    }
}

/* Blocks and precision decide nothing but the size of the file's values. */
static void blocks_write_the_same_file(void **state)
{
    static char one[1 << 20], other[1 << 20];
    (void)state;
    bench a, b;
    swe_context ctx = {""};
    make_bench(&a, 1, 1, SWE_PRECISION_DOUBLE);
    make_bench(&b, 2, 4, SWE_PRECISION_DOUBLE);
    const ssize_t size = (ssize_t)(a.first[2] + bytes_of(2, SWE_PRECISION_DOUBLE));
    CHECK_OK(&ctx, use(&a, a.written, SWE_FILE_WRITE, &ctx));
    CHECK_OK(&ctx, use(&b, b.written, SWE_FILE_WRITE, &ctx));
    const int file_a = open(a.path, O_RDONLY), file_b = open(b.path, O_RDONLY);
    assert_int_equal(read(file_a, one, sizeof one), size);
    assert_int_equal(read(file_b, other, sizeof other), size);
    assert_memory_equal(one, other, (size_t)size);
    close(file_a);
    close(file_b);
    end_bench(&a);
    end_bench(&b);
}

static void put(const bench *t, long long at, double value)
{
    const int file = open(t->path, O_WRONLY);
    assert_true(file >= 0 && pwrite(file, &value, sizeof value, at) == sizeof value);
    close(file);
}

static void a_value_that_differs_or_is_not_finite_is_found(void **state)
{
    (void)state;
    bench t;
    swe_context ctx = {""};
    make_bench(&t, 2, 1, SWE_PRECISION_DOUBLE);
    CHECK_OK(&ctx, use(&t, t.written, SWE_FILE_WRITE, &ctx));
    const long long at = t.first[2] + 8LL * ((3 * N + 7) * (N + 1) + 11); /* v2, panel 3 */
    put(&t, at, 1.5);
    assert_int_equal(use(&t, t.written, SWE_FILE_COMPARE, &ctx), SWE_IO);
    CHECK_OK(&ctx, use(&t, t.read, SWE_FILE_READ, &ctx));
    put(&t, at, (double)NAN);
    assert_int_equal(use(&t, t.read, SWE_FILE_READ, &ctx), SWE_DATA);
    assert_string_equal(ctx.message, "name: dataset 'v2' is not finite at panel 3, j 7, i 11");
    end_bench(&t);
}

static void a_file_that_is_short_or_gone_is_refused(void **state)
{
    (void)state;
    bench t;
    swe_context ctx = {""};
    make_bench(&t, 1, 3, SWE_PRECISION_SINGLE);
    CHECK_OK(&ctx, use(&t, t.written, SWE_FILE_WRITE, &ctx));
    assert_int_equal(truncate(t.path, t.first[2] + 7), 0);
    assert_int_equal(use(&t, t.read, SWE_FILE_READ, &ctx), SWE_DATA);
    assert_string_equal(ctx.message, "name: cannot be read: it ends too early");
    assert_int_equal(use(&t, t.written, SWE_FILE_COMPARE, &ctx), SWE_IO);
    unlink(t.path);
    assert_int_equal(use(&t, t.written, SWE_FILE_WRITE, &ctx), SWE_UNAVAILABLE);
    assert_non_null(strstr(ctx.message, "rank 0 does not see this file (No such file"));
    end_bench(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_reads_back_at_its_places),
        cmocka_unit_test(blocks_write_the_same_file),
        cmocka_unit_test(a_value_that_differs_or_is_not_finite_is_found),
        cmocka_unit_test(a_file_that_is_short_or_gone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
