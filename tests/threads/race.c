/* A data race that the thread sanitizer must report; otherwise a clean run proves nothing. */
#include <stdio.h>

int main(void)
{
    int count = 0;
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 1000; k++)
        count++;
    printf("%d\n", count);
    return 0;
}
