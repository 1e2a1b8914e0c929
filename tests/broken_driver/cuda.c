/* libcuda of a driver that does not start: cuInit and all else answer the CUresult in CUDA_STUB. */
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags) {
    const char *text = getenv("CUDA_STUB");
    int value = 0;
    while (text && *text) value = 10 * value + (*text++ - '0');
    return value;
}

int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuGetErrorName(int code, const char **text) { *text = "STUB"; return 0; }
int cuGetErrorString(int code, const char **text) { *text = "an error of the stub"; return 0; }
int cuDeviceGetCount(int *count) { *count = 0; return cuInit(0); }

int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);

/* CUDA's runtime library asks for every function through this one. */
static void *find(const char *name) {
    if (!strncmp(name, "cuGetProcAddress", 16)) return (void *)cuGetProcAddress_v2;
    if (!strcmp(name, "cuDriverGetVersion")) return (void *)cuDriverGetVersion;
    if (!strcmp(name, "cuGetErrorName")) return (void *)cuGetErrorName;
    if (!strcmp(name, "cuGetErrorString")) return (void *)cuGetErrorString;
    if (!strcmp(name, "cuDeviceGetCount")) return (void *)cuDeviceGetCount;
    return (void *)cuInit;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status) {
    *function = find(name);
    if (status) *status = 0;
    return 0;
}

int cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
