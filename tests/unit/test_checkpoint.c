/* Checkpoints: names, digests, and files that read back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "files/checkpoint/checkpoint_file.h"
#include "files/checkpoint/restart.h"
#include "files/checkpoint/manifest.h"
#include "files/checkpoint/checkpoints.h"
#include "support/check.h"
#include "support/panels.h"

static const char there[] = "grid:\n  n: 12\n  order: 4\nscheme:\n  pipeline: fused\n"
                            "  precision: double\noutput:\n  every: 3\nphysics:\n  depth: 1\n";

/* ---- names ----------------------------------------------------------------------------------- */

static void a_name_is_taken_apart(void **state)
{
    char name[CHECKPOINT_NAME_SIZE], file[CHECKPOINT_NAME_SIZE + 10];
    checkpoint_entry entry;
    (void)state;
    checkpoint_name(1234567, 99, name);
    snprintf(file, sizeof file, "%s.json", name);
    assert_true(checkpoint_entry_of(file, &entry));
    assert_string_equal(entry.name, name);
    assert_int_equal(entry.number, 1234567);
    assert_int_equal(entry.step, 99);
    assert_int_equal(entry.kind, CHECKPOINT_MANIFEST);
}

static void other_names_are_not_ours(void **state)
{
    static const char *const names[] = {"",
                                        "checkpoint_",
                                        "checkpoint_000001_step_0000000001",
                                        "checkpoint_1_step_0000000001.h5",
                                        "checkpoint_000001_step_1.h5",
                                        "checkpoint_000001_step_0000000001.h5.tmp.tmp",
                                        "checkpoint_000001_step_-000000001.h5",
                                        "checkpoint_000001_step_0000000001.h5x",
                                        "checkpoint_99999999999999999999_step_0000000001.h5"};
    checkpoint_entry entry;
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        assert_false(checkpoint_entry_of(names[k], &entry));
}

/* ---- digest ---------------------------------------------------------------------------------- */

static void a_digest_is_that_of_sha256sum(void **state)
{
    char path[] = "/tmp/test_checkpoint_XXXXXX", digest[SWE_DIGEST_SIZE];
    swe_context ctx = {""};
    long long size = -1;
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0 && write(file, "abc", 3) == 3 && close(file) == 0);
    assert_int_equal(swe_digest_file(&ctx, path, &size, digest), SWE_OK);
    assert_int_equal(size, 3);
    assert_string_equal(digest, /* FIPS 180-4, appendix B.1 */
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    unlink(path);
    assert_int_equal(swe_digest_file(&ctx, path, &size, digest), SWE_DATA);
    assert_int_equal(swe_digest_file(&ctx, "/dev/zero", &size, digest), SWE_DATA);
}

/* The digests are the output of `split --bytes=1M --filter=sha256sum FILE | sha256sum`. The first
 * byte of piece k is k + 1, the other bytes are zero. */
static void a_digest_of_pieces_is_that_of_their_digests(void **state)
{
    static const struct {
        long long size;
        const char *digest;
    } files[] = {
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {3, "7c7f45dfb3e49ae8965853792be3f7ba3a931a195dcbcdd0fc83a004570f54f3"},
        {1048576, "cd8c8472c2ae29ba16e971a99bcf84870e208fcbc2c438df33a150a7c367e762"},
        {1048577, "f7c804f3de98764f1f94c72f4c32d5259973612ab6b2205b4658ff6e3d9baa26"},
        {2621440, "cf7605d6ea482daf889e0c1431a7e98460c40b3368b6ab6d08e6676812cf405b"},
    };
    char path[] = "/tmp/test_checkpoint_XXXXXX", digest[SWE_DIGEST_SIZE];
    swe_context ctx = {""};
    long long size = -1;
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        assert_int_equal(ftruncate(file, (off_t)files[k].size), 0);
        for (long long at = 0; at < files[k].size; at += 1 << 20) {
            const char first = (char)(at / (1 << 20) + 1);
            assert_int_equal(pwrite(file, &first, 1, (off_t)at), 1);
        }
        for (int by_all = 0; by_all <= 1; by_all++) {
            assert_int_equal(swe_digest_pieces(&ctx, path, by_all != 0, &size, digest), SWE_OK);
            assert_int_equal(size, files[k].size);
            assert_string_equal(digest, files[k].digest);
        }
    }
    close(file);
    unlink(path);
    assert_int_equal(swe_digest_pieces(&ctx, path, true, &size, digest), SWE_DATA);
    assert_int_equal(swe_digest_pieces(&ctx, "/dev/zero", true, &size, digest), SWE_DATA);
}

/* ---- files ----------------------------------------------------------------------------------- */

enum { N = 9 };
static const char run_id[] = "0123456789abcdef0123456789abcdef";

/* A state whose values all differ, and its file. */
typedef struct sample {
    char path[64];
    double *state;
    whole_fields whole; /* the state */
    swe_panels panels;
    double number;
    swe_checkpoint_number numbers[1];
    swe_checkpoint checkpoint;
} sample;

static void make_sample(sample *s, swe_precision precision)
{
    swe_output_file out;
    swe_context ctx = {""};
    const swe_layout layout = swe_layout_of(N);
    snprintf(s->path, sizeof s->path, "/tmp/test_checkpoint_%ld.h5", (long)getpid());
    assert_int_equal(swe_memory_doubles(&ctx, 3 * (size_t)layout.field, &s->state), SWE_OK);
    for (ptrdiff_t k = 0; k < 3 * layout.field; k++)
        s->state[k] = (double)(float)(1.0 / (double)(k + 3));
    s->whole = (whole_fields){layout, s->state};
    s->panels = panels_of(&s->whole);
    s->number = 0.1;
    s->numbers[0] = (swe_checkpoint_number){.name = "number", .value = &s->number};
    s->checkpoint = (swe_checkpoint){.case_name = "case",
                                     .configuration = there,
                                     .backend = "cpu",
                                     .device = "none",
                                     .layout = layout,
                                     .precision = precision,
                                     .fields = &swe_flow_fields,
                                     .state = &s->panels,
                                     .step = 5,
                                     .steps = 7,
                                     .dt = 0.3,
                                     .diagnostics_size = 11,
                                     .is_before_output = precision == SWE_PRECISION_SINGLE,
                                     .numbers = s->numbers,
                                     .number_count = 1};
    assert_int_equal(swe_durable_begin(&ctx, s->path, &out), SWE_OK);
    assert_int_equal(swe_checkpoint_file_write(&ctx, &out, run_id, &s->checkpoint, false), SWE_OK);
    assert_int_equal(swe_durable_end(&ctx, &out), SWE_OK);
}

static void end_sample(sample *s)
{
    unlink(s->path);
    free(s->state);
}

static void a_file_reads_back(void **state)
{
    (void)state;
    for (int precision = 0; precision < SWE_PRECISIONS; precision++) {
        sample s;
        swe_context ctx = {""};
        swe_checkpoint_head head;
        make_sample(&s, (swe_precision)precision);
        const swe_layout *layout = &s.checkpoint.layout;
        double *read = NULL;
        assert_int_equal(swe_memory_doubles(&ctx, 3 * (size_t)layout->field, &read), SWE_OK);
        assert_int_equal(swe_checkpoint_file_verify(&ctx, s.path, run_id, &s.checkpoint, false),
                         SWE_OK);
        s.number = 0.0;
        whole_fields whole = {*layout, read};
        const swe_panels to = panels_of(&whole);
        const swe_checkpoint_content wanted = {*layout, (swe_precision)precision, &swe_flow_fields,
                                               s.numbers, 1};
        assert_int_equal(swe_checkpoint_file_read(&ctx, s.path, &wanted, &to), SWE_OK);
        assert_true(s.number == 0.1);
        for (int p = 0; p < SWE_PANELS; p++)
            for (int j = 0; j <= N; j++)
                for (int i = 0; i <= N; i++) {
                    const ptrdiff_t at = swe_at(layout, p, j, i);
                    assert_true(read[at] == s.state[at]);
                    assert_true(i == N || read[layout->field + at] == s.state[layout->field + at]);
                }
        assert_int_equal(swe_checkpoint_head_read(&ctx, s.path, &head), SWE_OK);
        assert_string_equal(head.configuration, there);
        assert_string_equal(head.run, run_id);
        assert_true(head.step == 5 && head.steps == 7 && head.dt == 0.3);
        assert_int_equal(head.diagnostics_size, 11);
        assert_int_equal(head.is_before_output, s.checkpoint.is_before_output);
        swe_checkpoint_head_release(&head);
        free(read);
        end_sample(&s);
    }
}

/* One bit anywhere, as a disk or memory might turn it. */
static void a_state_that_reads_back_otherwise_is_found(void **state)
{
    sample s;
    swe_context ctx = {""};
    (void)state;
    make_sample(&s, SWE_PRECISION_DOUBLE);
    const swe_layout *layout = &s.checkpoint.layout;
    const ptrdiff_t places[] = {swe_at(layout, 0, 0, 0), swe_at(layout, 5, N, N),
                                layout->field + swe_at(layout, 2, N, N - 1),
                                2 * layout->field + swe_at(layout, 5, N - 1, N)};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        const double kept = s.state[places[k]];
        s.state[places[k]] = nextafter(kept, INFINITY);
        assert_int_equal(swe_checkpoint_file_verify(&ctx, s.path, run_id, &s.checkpoint, false),
                         SWE_IO);
        s.state[places[k]] = kept;
    }
    assert_int_equal(swe_checkpoint_file_verify(&ctx, s.path, run_id, &s.checkpoint, false),
                     SWE_OK);
    end_sample(&s);
}

/* Run, step and numbers belong to a checkpoint: a file with other values of these is detected,
 * too. */
static void a_head_that_reads_back_otherwise_is_found(void **state)
{
    static const char *const runs[] = {"", "1123456789abcdef0123456789abcdef"};
    sample s;
    swe_context ctx = {""};
    (void)state;
    make_sample(&s, SWE_PRECISION_DOUBLE);
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++)
        assert_int_equal(swe_checkpoint_file_verify(&ctx, s.path, runs[k], &s.checkpoint, false),
                         SWE_IO);
    s.number = nextafter(s.number, 1.0);
    assert_int_equal(swe_checkpoint_file_verify(&ctx, s.path, run_id, &s.checkpoint, false),
                     SWE_IO);
    s.number = 0.1;
    s.checkpoint.step++;
    assert_int_equal(swe_checkpoint_file_verify(&ctx, s.path, run_id, &s.checkpoint, false),
                     SWE_IO);
    end_sample(&s);
}

static void a_file_of_another_size_or_precision_is_refused(void **state)
{
    sample s;
    swe_context ctx = {""};
    (void)state;
    make_sample(&s, SWE_PRECISION_SINGLE);
    const swe_checkpoint_content own = {s.checkpoint.layout, SWE_PRECISION_SINGLE, &swe_flow_fields,
                                        s.numbers, 1};
    swe_checkpoint_content other = own;
    assert_int_equal(swe_checkpoint_file_check(&ctx, s.path, &own), SWE_OK);
    other.precision = SWE_PRECISION_DOUBLE;
    assert_int_equal(swe_checkpoint_file_check(&ctx, s.path, &other), SWE_DATA);
    other = own;
    other.layout = swe_layout_of(N + 1);
    assert_int_equal(swe_checkpoint_file_check(&ctx, s.path, &other), SWE_DATA);
    s.numbers[0].name = "another";
    assert_int_equal(swe_checkpoint_file_check(&ctx, s.path, &own), SWE_DATA);
    end_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_taken_apart),
        cmocka_unit_test(other_names_are_not_ours),
        cmocka_unit_test(a_digest_is_that_of_sha256sum),
        cmocka_unit_test(a_digest_of_pieces_is_that_of_their_digests),
        cmocka_unit_test(a_file_reads_back),
        cmocka_unit_test(a_state_that_reads_back_otherwise_is_found),
        cmocka_unit_test(a_head_that_reads_back_otherwise_is_found),
        cmocka_unit_test(a_file_of_another_size_or_precision_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
