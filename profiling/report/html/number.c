#include "report/html/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EN_DASH      "\xe2\x80\x93"
#define NARROW_SPACE "\xe2\x80\xaf" /* that does not break */

typedef struct prefix {
    double factor;
    const char *unit;
} prefix;

/* Each list ascends; the first one also serves what is smaller. */
static const prefix times[] = {{1.0, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {0.0, ""}};
static const prefix sizes[] = {{1.0, "B"},  {1e3, "kB"},  {1e6, "MB"},
                               {1e9, "GB"}, {1e12, "TB"}, {0.0, ""}};
static const prefix bandwidths[] = {{1.0, "B/s"},  {1e3, "kB/s"},  {1e6, "MB/s"},
                                    {1e9, "GB/s"}, {1e12, "TB/s"}, {0.0, ""}};
static const prefix flop_rates[] = {
    {1.0, "FLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}, {0.0, ""}};
static const prefix flops[] = {
    {1.0, "FLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}, {0.0, ""}};
static const prefix hertzes[] = {{1.0, "Hz"}, {1e6, "MHz"}, {1e9, "GHz"}, {0.0, ""}};
static const prefix counts[] = {
    {1.0, ""}, {1e3, "thousand"}, {1e6, "million"}, {1e9, "billion"}, {0.0, ""}};
static const prefix plains[] = {{1.0, ""}, {0.0, ""}};

/* Decimals that give a value three digits that count. */
static int decimals_of(double value)
{
    const double size = fabs(value);
    if (size == 0.0 || size >= 99.95)
        return 0;
    if (size >= 0.1)
        return size >= 9.995 ? 1 : 2;
    const double places = 2.0 - floor(log10(size));
    return places < 9.0 ? (int)places : 9;
}

static scale scale_of(const prefix *list, double most)
{
    const prefix *best = list;
    for (const prefix *p = list; p->factor > 0.0; p++)
        if (fabs(most) >= 0.9995 * p->factor)
            best = p;
    const double shown = isfinite(most) ? most / best->factor : 0.0;
    return (scale){best->factor, best->unit, decimals_of(shown)};
}

scale scale_time(double most_ns)
{
    return scale_of(times, most_ns);
}

scale scale_bytes(double most)
{
    return scale_of(sizes, most);
}

scale scale_bandwidth(double most)
{
    return scale_of(bandwidths, most);
}

scale scale_flop_rate(double most)
{
    return scale_of(flop_rates, most);
}

scale scale_flops(double most)
{
    return scale_of(flops, most);
}

scale scale_count(double most)
{
    return scale_of(counts, most);
}

scale scale_plain(double most)
{
    return scale_of(plains, most);
}

number number_scaled(scale s, double value)
{
    number n;
    if (isfinite(value))
        snprintf(n.text, sizeof n.text, "%.*f", s.decimals, value / s.factor);
    else
        snprintf(n.text, sizeof n.text, EN_DASH);
    return n;
}

static number with_unit(const prefix *list, double value)
{
    const scale s = scale_of(list, value);
    number n = number_scaled(s, value);
    const size_t length = strlen(n.text);
    if (isfinite(value) && s.unit[0] != '\0')
        snprintf(n.text + length, sizeof n.text - length, NARROW_SPACE "%s", s.unit);
    return n;
}

number number_time(double ns)
{
    return with_unit(times, ns);
}

number number_bytes(double bytes)
{
    return with_unit(sizes, bytes);
}

number number_bandwidth(double bytes_per_s)
{
    return with_unit(bandwidths, bytes_per_s);
}

number number_flop_rate(double per_s)
{
    return with_unit(flop_rates, per_s);
}

number number_flops(double count)
{
    return with_unit(flops, count);
}

number number_hertz(double hertz)
{
    return with_unit(hertzes, hertz);
}

number number_digits(double value)
{
    return with_unit(plains, value);
}

number number_percent(double share)
{
    if (share > 0.0 && share < 0.0005)
        return (number){"< 0.1" NARROW_SPACE "%"};
    number n = number_scaled((scale){0.01, "%", share == 0.0 ? 0 : 1}, share);
    const size_t length = strlen(n.text);
    if (isfinite(share))
        snprintf(n.text + length, sizeof n.text - length, NARROW_SPACE "%%");
    return n;
}

number number_count(int64_t count)
{
    number n = {EN_DASH};
    char digits[24];
    if (count < 0)
        return n;
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t used = 0;
    for (int k = 0; k < length; k++) {
        const bool parted = k > 0 && (length - k) % 3 == 0 && length > 4;
        used += (size_t)snprintf(n.text + used, sizeof n.text - used, "%s%c",
                                 parted ? NARROW_SPACE : "", digits[k]);
    }
    return n;
}
