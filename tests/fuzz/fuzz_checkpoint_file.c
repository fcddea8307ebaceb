/* A checkpoint file of either format with unexpected content: its head, the check of its fields,
 * and the fields. An accepted file has finite values, and fields are read only after they passed
 * the check. */
#include <math.h>
#include <string.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "files/checkpoint/checkpoint_file.h"
#include "hostile_file.h"
#include "support/panels.h"

enum { N = 4 };

static void write_file(hostile *b, const char *path)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const bool is_chunked = b->size % 2 == 1;
    FUZZ_CHECK(file >= 0);
    hostile_integer(b, file, "format", is_chunked ? SWE_CHECKPOINT_CHUNKED : SWE_CHECKPOINT_FORMAT);
    hostile_text(b, file, "run", "0123456789abcdef0123456789abcdef");
    hostile_integer(b, file, "step", 5);
    hostile_integer(b, file, "steps", 7);
    hostile_real(b, file, "dt", 0.3);
    hostile_integer(b, file, "diagnostics_size", 11);
    hostile_text(b, file, "configuration", "grid:\n  n: 4\n");
    hostile_real(b, file, "number", 0.1);
    hostile_dataset(b, file, "h", H5T_IEEE_F64LE, N + 1, N + 1, is_chunked);
    hostile_dataset(b, file, "v1", H5T_IEEE_F64LE, N + 1, N, is_chunked);
    hostile_dataset(b, file, "v2", H5T_IEEE_F64LE, N, N + 1, is_chunked);
    hostile_extras(b, file);
    FUZZ_CHECK(H5Fclose(file) >= 0);
}

static swe_status read_head(const char *path)
{
    swe_context ctx = {""};
    swe_checkpoint_head head;
    const swe_status status = swe_checkpoint_head_read(&ctx, path, &head);
    FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
    if (status == SWE_OK) {
        FUZZ_CHECK(head.step >= 0 && head.dt > 0.0 && isfinite(head.dt));
        FUZZ_CHECK(strlen(head.run) == SWE_RUN_ID - 1 &&
                   strlen(head.configuration) <= SWE_CONFIG_MOST);
    }
    swe_checkpoint_head_release(&head);
    return status;
}

static swe_status read_fields(const char *path)
{
    const swe_layout layout = swe_layout_of(N);
    double number = 0.0, *state = NULL;
    const swe_checkpoint_number numbers[] = {{.name = "number", .value = &number}};
    swe_context ctx = {""}, looking = {""};
    FUZZ_CHECK(swe_memory_doubles(&ctx, 3 * (size_t)layout.field, &state) == SWE_OK);
    const swe_checkpoint_content wanted = {layout, SWE_PRECISION_DOUBLE, &swe_flow_fields, numbers,
                                           1};
    const swe_status look = swe_checkpoint_file_check(&looking, path, &wanted);
    whole_fields whole = {layout, state};
    const swe_panels to = panels_of(&whole);
    const swe_status status = swe_checkpoint_file_read(&ctx, path, &wanted, &to);
    FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
    FUZZ_CHECK(look == SWE_OK || status != SWE_OK);
    for (ptrdiff_t k = 0; status == SWE_OK && k < 3 * layout.field; k++)
        FUZZ_CHECK(isfinite(state[k]));
    free(state);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256];
    hostile bytes = {data, size, false};
    if (path[0] == '\0')
        fuzz_path("checkpoint.h5", path);
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_file(&bytes, path);
    const long before = hostile_identifiers();
    const swe_status head = read_head(path), fields = read_fields(path);
    FUZZ_CHECK(hostile_identifiers() == before);
    FUZZ_CHECK(bytes.is_changed || (head == SWE_OK && fields == SWE_OK));
    return 0;
}
