/* Mutation by structure: the mutation of a JSON text is JSON with entries repeated, dropped,
 * exchanged or of another type; lines stay lines likewise. */
#include "support/check.h"

#include <jansson.h>
#include <string.h>

#include "mutate.h"

enum { SEEDS = 2000, MOST = 4096 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    (void)data;
    (void)most;
    return size;
}

static size_t mutate(const char *text, unsigned seed, char out[MOST + 1])
{
    memset(out, '~', MOST);
    memcpy(out, text, strlen(text));
    const size_t size = LLVMFuzzerCustomMutator((uint8_t *)out, strlen(text), MOST, seed);
    assert_true(size <= MOST);
    out[size] = '\0';
    return size;
}

static void json_stays_json(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\": [1, \"x, ]\\\"\", [2]], \"b\": {\"c\": 3, \"d\": null}, \"e\": 1.5}";
    char out[MOST + 1];
    int whole = 0, longer = 0, missing = 0, retyped = 0, twice = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mutate(text, seed, out);
        json_t *json = json_loads(out, 0, NULL),
               *once = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
        whole += json != NULL;
        twice += json != NULL && once == NULL;
        longer += json_array_size(json_object_get(json, "a")) > 3;
        missing += json != NULL && json_object_get(json, "b") == NULL;
        retyped += json != NULL && !json_is_real(json_object_get(json, "e"));
        json_decref(json);
        json_decref(once);
    }
    assert_int_equal(whole, SEEDS);
    assert_true(longer > SEEDS / 50 && missing > SEEDS / 50 && retyped > SEEDS / 50 &&
                twice > SEEDS / 50);
}

static int count(const char *text, const char *part)
{
    int found = 0;
    while ((text = strstr(text, part)) != NULL) {
        found++;
        text += strlen(part);
    }
    return found;
}

static void lines_go_with_those_below_them(void **state)
{
    (void)state;
    static const char text[] = "grid:\n  n: 12\n  order: 4\ntime:\n  end: 1\n";
    char out[MOST + 1];
    int repeated = 0, dropped = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mutate(text, seed, out);
        repeated += count(out, "grid:\n  n: 12\n  order: 4\n") > 1;
        dropped += count(out, "grid:") == 0 && count(out, "n: 12") == 0;
    }
    assert_true(repeated > SEEDS / 50 && dropped > SEEDS / 50);
}

static void two_inputs_give_one(void **state)
{
    (void)state;
    static const char a[] = "{\"a\": 1, \"b\": [2]}", b[] = "[\"other\", {\"c\": 3}]";
    uint8_t out[MOST + 1];
    int taken = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        const size_t size = LLVMFuzzerCustomCrossOver(
            (const uint8_t *)a, strlen(a), (const uint8_t *)b, strlen(b), out, MOST, seed);
        out[size] = '\0';
        json_t *json = json_loads((const char *)out, 0, NULL);
        assert_non_null(json);
        taken += strstr((const char *)out, "other") != NULL;
        json_decref(json);
    }
    assert_true(taken > SEEDS / 50);
}

/* Without room nothing is changed, and nothing is written beyond it. */
static void room_is_respected(void **state)
{
    (void)state;
    static const char *const texts[] = {"[1,2]", "a: 1\nb: 2\n", "{", "[\"", "", "\n\n", "}{"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            const size_t size = strlen(texts[k]);
            uint8_t *room = malloc(size + 1); /* a sanitizer detects writes beyond it */
            assert_non_null(room);
            memcpy(room, texts[k], size);
            assert_true(LLVMFuzzerCustomMutator(room, size, size, seed) <= size);
            free(room);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_stays_json), cmocka_unit_test(lines_go_with_those_below_them),
        cmocka_unit_test(two_inputs_give_one), cmocka_unit_test(room_is_respected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
