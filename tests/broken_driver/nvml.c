/* NVML of a driver that fails or, with NVIDIA_STUB=0, of one with a single H100, or the GPU that NVML_… describe. The
   numbers are those of nvml.h. */
#include <stdlib.h>
#include <string.h>

#define MIB (1ULL << 20)
enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

static char WHOLE, SLICES[8]; /* their addresses are the handles */

static const char *text_or(const char *name, const char *otherwise) {
    const char *text = getenv(name);
    return text ? text : otherwise;
}

/* The number that a variable begins with, or that comes after its point. */
static int part(const char *text, int after_point) {
    int value = 0;
    if (after_point) text = strchr(text, '.') + 1;
    while (*text >= '0' && *text <= '9') value = 10 * value + (*text++ - '0');
    return value;
}

static int number(const char *name, const char *otherwise) { return part(text_or(name, otherwise), 0); }

int nvmlInit_v2(void) { return number("NVIDIA_STUB", "0"); }
int nvmlInitWithFlags(unsigned flags) { return nvmlInit_v2(); }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { return "an error of the stub"; }

int nvmlSystemGetDriverVersion(char *text, unsigned length) {
    strcpy(text, text_or("NVML_DRIVER", "580.95.05"));
    return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned *count) { *count = number("NVML_COUNT", "1"); return SUCCESS; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    *device = &WHOLE;
    return number("NVML_HANDLE", "0");
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) {
    const char *capability = text_or("NVML_CAPABILITY", "9.0");
    *major = part(capability, 0);
    *minor = part(capability, 1);
    return SUCCESS;
}

/* NVML_MIG: how many slices; without it, a GPU that has no such mode. */
int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending) {
    *current = *pending = 1;
    return getenv("NVML_MIG") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count) { *count = sizeof SLICES; return SUCCESS; }

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **slice) {
    *slice = &SLICES[index];
    return (int)index < number("NVML_MIG", "0") ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetName(void *device, char *text, unsigned length) {
    strcpy(text, "NVIDIA H100 80GB HBM3");
    if (device != &WHOLE) strcat(text, " MIG 1g.10gb");
    return SUCCESS;
}

int nvmlDeviceGetUUID(void *device, char *text, unsigned length) {
    strcpy(text, "GPU-00000000-0000-0000-0000-000000000001");
    if (device == &WHOLE) return SUCCESS;
    memcpy(text, "MIG", 3);
    text[strlen(text) - 1] += (char *)device - SLICES;
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]) {
    memory[0] = (device == &WHOLE ? 81559 : 9856) * MIB; /* total, free, used */
    memory[1] = (device == &WHOLE ? 80000 : 9800) * MIB;
    memory[2] = memory[0] - memory[1];
    return number("NVML_MEMORY", "0");
}

int nvmlDeviceGetPciInfo_v3(void *device, struct { char legacy[16]; unsigned numbers[6]; char bus[32]; } *info) {
    strcpy(info->bus, "00000000:01:00.0");
    return SUCCESS;
}
