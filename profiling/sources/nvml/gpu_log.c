#include "sources/nvml/gpu_log.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/output_file.h"

/* Take note of a failure, and write no more. */
static void stop_writing(gpu_log *log)
{
    log->error = errno != 0 ? errno : EIO;
    if (log->file != NULL)
        fclose(log->file);
    log->file = NULL;
}

/* The line that was put together goes to the file now: the log is read while a run lasts. */
static void end_line(gpu_log *log)
{
    if (fputc('\n', log->file) == EOF || fflush(log->file) != 0 || ferror(log->file) != 0)
        stop_writing(log);
}

void gpu_log_open(gpu_log *log, const char *path)
{
    errno = 0;
    const int file = swe_output_create(path);
    *log = (gpu_log){.file = file >= 0 ? fdopen(file, "a") : NULL, .path = path};
    if (log->file == NULL) {
        stop_writing(log);
        if (file >= 0)
            close(file);
        return;
    }
    fputs("#Date, Time, gpu, pwr, gtemp, sm, mem, mclk, pclk, fb\n"
          "#YYYYMMDD, HH:MM:SS, Idx, W, C, %, %, MHz, MHz, MB",
          log->file);
    end_line(log);
}

static void write_value(gpu_log *log, double value)
{
    if (value < 0.0)
        fputs(", -", log->file);
    else
        fprintf(log->file, ", %.0f", value);
}

static void write_time(gpu_log *log, int64_t ns)
{
    const time_t seconds = (time_t)(ns / 1000000000);
    const int milliseconds = (int)(ns / 1000000 % 1000);
    struct tm local;
    char text[64];
    localtime_r(&seconds, &local);
    strftime(text, sizeof text, "%Y%m%d, %H:%M:%S", &local);
    fprintf(log->file, "%s.%03d", text, milliseconds);
}

void gpu_log_add(gpu_log *log, const prof_gpu_sample *sample)
{
    if (log->file == NULL)
        return;
    errno = 0;
    write_time(log, sample->time);
    write_value(log, sample->device);
    write_value(log, sample->power);
    write_value(log, sample->temperature);
    write_value(log, sample->sm);
    write_value(log, sample->memory);
    write_value(log, sample->memory_clock);
    write_value(log, sample->sm_clock);
    write_value(log, sample->memory_used / (1024.0 * 1024.0));
    end_line(log);
}

void gpu_log_close(gpu_log *log)
{
    if (log->file == NULL)
        return;
    const bool is_listed = swe_output_list(log->path, fileno(log->file));
    if (fclose(log->file) != 0 || !is_listed)
        log->error = errno;
    log->file = NULL;
}
