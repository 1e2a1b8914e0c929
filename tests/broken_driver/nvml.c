/* NVML of a driver that fails or, with NVIDIA_STUB=0, of one with a single H100. The numbers are those of nvml.h. */
#include <stdlib.h>
#include <string.h>

#define MIB (1ULL << 20)
enum { SUCCESS = 0, NOT_SUPPORTED = 3 };

static int number(const char *name) {
    const char *text = getenv(name);
    int value = 0;
    while (text && *text) value = 10 * value + (*text++ - '0');
    return value;
}

int nvmlInit_v2(void) { return number("NVIDIA_STUB"); }
int nvmlInitWithFlags(unsigned flags) { return nvmlInit_v2(); }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { return "an error of the stub"; }

int nvmlSystemGetDriverVersion(char *text, unsigned length) { strcpy(text, "580.95.05"); return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = (void *)1; return SUCCESS; }
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) { *major = 9; *minor = 0; return SUCCESS; }
int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending) { return NOT_SUPPORTED; }
int nvmlDeviceGetName(void *device, char *text, unsigned length) { strcpy(text, "NVIDIA H100 80GB HBM3"); return SUCCESS; }
int nvmlDeviceGetUUID(void *device, char *text, unsigned length) {
    strcpy(text, "GPU-00000000-0000-0000-0000-000000000001");
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]) {
    memory[0] = 81559 * MIB; /* total, free, used */
    memory[1] = 80000 * MIB;
    memory[2] = 1559 * MIB;
    return SUCCESS;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct { char legacy[16]; unsigned numbers[6]; char bus[32]; } *info) {
    strcpy(info->bus, "00000000:01:00.0");
    return SUCCESS;
}
