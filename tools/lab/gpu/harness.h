/* Errors, arrays and times of a candidate on a card. */
#pragma once
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const cudaError_t e = (call);                                                              \
        if (e != cudaSuccess) {                                                                    \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
template <typename value> static value *to_device(const std::vector<value> &x)
{
    value *out = nullptr;
    if (cudaMalloc(&out, x.size() * sizeof(value)) == cudaSuccess)
        cudaMemcpy(out, x.data(), x.size() * sizeof(value), cudaMemcpyHostToDevice);
    return out;
}
/* Median and quartiles, in ms, of 31 calls of `work`, which puts work into a stream. */
struct quartiles {
    float median, low, high;
};
template <typename work_type>
static int time_calls(cudaStream_t stream, work_type work, quartiles *out)
{
    cudaEvent_t e0, e1;
    TRY(cudaEventCreate(&e0));
    TRY(cudaEventCreate(&e1));
    std::vector<float> ms;
    for (int k = 0; k < 31; k++) {
        TRY(cudaEventRecord(e0, stream));
        TRY(work());
        TRY(cudaEventRecord(e1, stream));
        TRY(cudaEventSynchronize(e1));
        float t;
        TRY(cudaEventElapsedTime(&t, e0, e1));
        ms.push_back(t);
    }
    std::sort(ms.begin(), ms.end());
    *out = {ms[15], ms[7], ms[23]};
    return 0;
}
