/* Pieces of a variable, packed outside the file: they are the chunks of its dataset, and HDF5 reads
 * the packed values from them. */
#include "support/check.h"

#include "grid/layout.h"
#include "files/output/hdf5_pieces.h"
#include "support/random.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char path[] = "pieces.h5";

/* Shapes whose pieces have all panels, three panels, one panel, and some rows of a panel; of the
 * last kind the last piece has fewer rows. */
static const struct shape {
    int rows, columns;
} shapes[] = {{5, 5}, {201, 200}, {300, 301}, {387, 385}, {1001, 1001}};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static size_t count_of(const hdf5_pieces *p)
{
    return (size_t)SWE_PANELS * (size_t)p->rows * (size_t)p->columns;
}

/* Number of values before the values of a piece. */
static size_t before(const hdf5_pieces *p, const hdf5_piece *piece)
{
    return ((size_t)piece->panel * (size_t)p->rows + (size_t)piece->row) * (size_t)p->columns;
}

static void pieces_have_all_rows_once(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        const hdf5_pieces p = hdf5_pieces_of(shapes[s].rows, shapes[s].columns, 1, s % 2 == 1);
        size_t next = 0;
        for (int k = 0; k < p.count; k++) {
            const hdf5_piece piece = hdf5_piece_at(&p, k);
            assert_true(piece.panels == 1 || piece.rows == p.rows);
            assert_int_equal(before(&p, &piece), next);
            next += (size_t)piece.panels * (size_t)piece.rows * (size_t)p.columns;
        }
        assert_int_equal(next, count_of(&p));
    }
}

static void write_pieces(const hdf5_pieces *p, const double *values)
{
    hdf5_writer w;
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    hdf5_writer_open(&w, file);
    w.deflate = p->deflate;
    w.is_single = p->is_single;
    double *zeros = calloc((size_t)(p->rows + p->columns), sizeof *zeros);
    assert_non_null(zeros);
    hdf5_dimension_write(&w, "nf", zeros, SWE_PANELS, "1", "panel");
    hdf5_dimension_write(&w, "Y", zeros, (hsize_t)p->rows, "1", "row");
    hdf5_dimension_write(&w, "X", zeros, (hsize_t)p->columns, "1", "column");
    const hid_t dataset = hdf5_variable_create(&w, "v", "nf Y X");
    for (int k = 0; k < p->count; k++) {
        const hdf5_piece piece = hdf5_piece_at(p, k);
        const hdf5_packed packed = hdf5_pack(p, &piece, values + before(p, &piece));
        assert_non_null(packed.bytes);
        assert_true(packed.size <= hdf5_packed_most(p));
        hdf5_write_packed(&w, dataset, p, k, packed);
        free(packed.bytes);
    }
    hdf5_close(&w, dataset);
    assert_true(hdf5_writer_close(&w));
    free(zeros);
    close(file);
}

static void check_chunks(const hdf5_pieces *p, hid_t dataset)
{
    hsize_t chunk[3] = {0};
    const hid_t creation = H5Dget_create_plist(dataset);
    assert_int_equal(H5Pget_layout(creation), p->deflate > 0 ? H5D_CHUNKED : H5D_CONTIGUOUS);
    if (p->deflate > 0) {
        assert_int_equal(H5Pget_chunk(creation, 3, chunk), 3);
        assert_int_equal(chunk[0], p->panels);
        assert_int_equal(chunk[1], p->most);
        assert_int_equal(chunk[2], p->columns);
    }
    H5Pclose(creation);
}

static void check_file(const hdf5_pieces *p, const double *values)
{
    double *found = malloc(count_of(p) * sizeof *found);
    assert_non_null(found);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "v", H5P_DEFAULT);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (size_t at = 0; at < count_of(p); at++)
        assert_true(found[at] == (p->is_single ? (double)(float)values[at] : values[at]));
    check_chunks(p, dataset);
    H5Dclose(dataset);
    H5Fclose(file);
    free(found);
}

static void hdf5_reads_what_was_packed(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        for (int deflate = 0; deflate <= 1; deflate++)
            for (int is_single = 0; is_single <= 1; is_single++) {
                const hdf5_pieces p =
                    hdf5_pieces_of(shapes[s].rows, shapes[s].columns, deflate, is_single != 0);
                random_source random = {5};
                double *values = malloc(count_of(&p) * sizeof *values);
                assert_non_null(values);
                random_fill(&random, (int)count_of(&p), values);
                write_pieces(&p, values);
                check_file(&p, values);
                free(values);
            }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_have_all_rows_once),
                                       cmocka_unit_test(hdf5_reads_what_was_packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
