// A CUDA driver and NVRTC in host memory, for tests: the entry points that the runtime uses, with one device. A "cubin" is the
// source behind a mark; of its kernels those below are computed on the host from the launch's parameters, others do nothing, or what
// FAKE_CUDA_RUNS does.
//
// Graphs hold launches of kernels known here; others are refused while a stream is captured.
//
// FAKE_CUDA_LOG=FILE      the calls, one a line
// FAKE_CUDA_FAIL=f:n:s    the n-th call of f since this was set (0: every one) returns status s (several: separated by commas);
//                         status -1: it succeeds, but nothing that waits for the device returns any more. f may also be a
//                         kernel: its n-th launch
// FAKE_CUDA_RUNS=LIBRARY  other kernels are computed by its liftgen_run_kernel (emulated/kernels.cpp)
// FAKE_CUDA_MS=0.25       from any event to any other
// FAKE_CUDA_COMPUTE=90    compute capability of the device, FAKE_CUDA_DEVICES=1, FAKE_CUDA_DRIVER=12040
// FAKE_CUDA_MEMORY=BYTES  of the device; FAKE_NVRTC_VERSION=12, FAKE_NVRTC_NEWEST=90
// FAKE_NVRTC_OPENS=NAME   the library that compiling opens, by its name as NVRTC does
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long address;
static const char kMark[] = "\177ELF fake ";
static size_t used;
static int lost, hanging, current, retained, opted_in;

static long number(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text ? atol(text) : otherwise;
}
static void note(const char* text) {
  const char* path = getenv("FAKE_CUDA_LOG");
  FILE* f = path ? fopen(path, "a") : NULL;
  if (f) fprintf(f, "%s\n", text), fclose(f);
}
/* Counts a call; the status it is to return. */
static int counted(const char* name) {
  static struct {
    char name[64];
    int calls;
  } counts[64];
  static char since[256];
  const char* fail = getenv("FAKE_CUDA_FAIL");
  if (strcmp(since, fail ? fail : "")) memset(counts, 0, sizeof counts), strncpy(since, fail ? fail : "", 255);
  int i = 0;
  while (counts[i].name[0] && strcmp(counts[i].name, name)) ++i;
  strncpy(counts[i].name, name, 63);
  const int n = ++counts[i].calls;
  while (fail && *fail) {
    char wanted[64];
    int nth = 0, status = 0;
    if (sscanf(fail, "%63[^:]:%d:%d", wanted, &nth, &status) == 3 && !strcmp(wanted, name) && (nth == 0 || nth == n)) {
      if (status == -1) return hanging = 1, 0;
      if (status == 700) lost = status;
      return status;
    }
    fail = strchr(fail, ',');
    if (fail) ++fail;
  }
  return 0;
}
static int called(const char* name) {
  note(name);
  return counted(name);
}
/* The same for a call that needs the context. */
static int here(const char* name) {
  const int status = called(name);
  if (status) return status;
  if (lost) return lost;
  return current ? 0 : 201;
}
#define CALLED(f) do { const int s_ = called(f); if (s_) return s_; } while (0)
#define HERE(f) do { const int s_ = here(f); if (s_) return s_; } while (0)

int cuInit(unsigned flags) { (void)flags; CALLED("cuInit"); return 0; }
int cuDriverGetVersion(int* v) { *v = (int)number("FAKE_CUDA_DRIVER", 12040); return 0; }
int cuGetErrorName(int s, const char** n) {
  *n = s == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : s == 100 ? "CUDA_ERROR_NO_DEVICE" : s == 200 ? "CUDA_ERROR_INVALID_IMAGE" : s == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
     : s == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : s == 701 ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" : s == 500 ? "CUDA_ERROR_NOT_FOUND" : NULL;
  return *n ? 0 : 1;
}
int cuGetErrorString(int s, const char** n) { *n = s == 700 ? "an illegal memory access was encountered" : "of the fake"; return 0; }
int cuDeviceGetCount(int* n) { CALLED("cuDeviceGetCount"); *n = (int)number("FAKE_CUDA_DEVICES", 1); return 0; }
int cuDeviceGet(int* d, int i) { *d = i; return 0; }
int cuDeviceGetName(char* name, int n, int d) { snprintf(name, (size_t)n, "Fake %d", d); return 0; }
int cuDeviceTotalMem_v2(size_t* n, int d) { (void)d; *n = (size_t)number("FAKE_CUDA_MEMORY", 1 << 30); return 0; }
int cuDeviceGetAttribute(int* v, int what, int d) {
  (void)d;
  const int compute = (int)number("FAKE_CUDA_COMPUTE", 90);
  switch (what) {
    case 1: *v = 1024; break;
    case 2: case 3: *v = 1024; break;
    case 4: *v = 64; break;
    case 5: *v = 2147483647; break;
    case 6: case 7: *v = 65535; break;
    case 8: *v = 49152; break;
    case 10: *v = 32; break;
    case 12: *v = 65536; break;
    case 16: *v = 4; break;
    case 38: *v = (int)number("FAKE_CUDA_CACHE", 1 << 20); break;
    case 75: *v = compute / 10; break;
    case 76: *v = compute % 10; break;
    case 97: *v = 232448; break;
    default: return 1;
  }
  return 0;
}
int cuDevicePrimaryCtxRetain(void** c, int d) { (void)d; CALLED("cuDevicePrimaryCtxRetain"); ++retained; *c = &current; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { (void)d; CALLED("cuDevicePrimaryCtxRelease_v2"); --retained; return 0; }
int cuDevicePrimaryCtxReset_v2(int d) { (void)d; CALLED("cuDevicePrimaryCtxReset_v2"); lost = 0; used = 0; return 0; }
int cuCtxPushCurrent_v2(void* c) { if (c != &current) return 201; ++current; return 0; }
int cuCtxPopCurrent_v2(void** c) { *c = &current; --current; return 0; }
int cuMemGetInfo_v2(size_t* left, size_t* all) { cuDeviceTotalMem_v2(all, 0); *left = *all - used; return 0; }
enum { kMostBlocks = 4096 };
static size_t* blocks[kMostBlocks]; /* what is allocated: its bytes, 16 bytes before the array */
/* Of the array that begins there; 0: none does. */
static size_t bytes_at(const void* array) {
  for (size_t i = 0; i < kMostBlocks; ++i)
    if (blocks[i] && blocks[i] + 2 == array) return blocks[i][0];
  return 0;
}
int cuMemAlloc_v2(address* a, size_t n) {
  HERE("cuMemAlloc_v2");
  size_t all = 0;
  cuDeviceTotalMem_v2(&all, 0);
  if (n > all - used) return 2;
  used += n;
  size_t i = 0;
  while (i < kMostBlocks && blocks[i]) ++i;
  if (i == kMostBlocks) return 2;
  size_t* block = blocks[i] = malloc(n + 16);
  block[0] = n;
  *a = (address)(uintptr_t)(block + 2);
  return 0;
}
int cuMemFree_v2(address a) {
  HERE("cuMemFree_v2");
  size_t* block = (size_t*)(uintptr_t)a - 2;
  used -= block[0];
  for (size_t i = 0; i < kMostBlocks; ++i)
    if (blocks[i] == block) blocks[i] = NULL;
  free(block);
  return 0;
}
int cuMemcpyHtoDAsync_v2(address to, const void* from, size_t n, void* s) { (void)s; HERE("cuMemcpyHtoDAsync_v2"); memcpy((void*)(uintptr_t)to, from, n); return 0; }
int cuMemcpyDtoHAsync_v2(void* to, address from, size_t n, void* s) { (void)s; HERE("cuMemcpyDtoHAsync_v2"); memcpy(to, (void*)(uintptr_t)from, n); return 0; }
int cuMemcpyDtoDAsync_v2(address to, address from, size_t n, void* s) { (void)s; HERE("cuMemcpyDtoDAsync_v2"); memcpy((void*)(uintptr_t)to, (void*)(uintptr_t)from, n); return 0; }
int cuMemsetD8Async(address to, unsigned char v, size_t n, void* s) { (void)s; HERE("cuMemsetD8Async"); memset((void*)(uintptr_t)to, v, n); return 0; }
int cuMemsetD16Async(address to, unsigned short v, size_t n, void* s) { (void)s; HERE("cuMemsetD16Async"); for (size_t i = 0; i < n; ++i) ((uint16_t*)(uintptr_t)to)[i] = v; return 0; }
int cuMemsetD32Async(address to, unsigned v, size_t n, void* s) { (void)s; HERE("cuMemsetD32Async"); for (size_t i = 0; i < n; ++i) ((uint32_t*)(uintptr_t)to)[i] = v; return 0; }
int cuStreamCreate(void** s, unsigned flags) { (void)flags; HERE("cuStreamCreate"); *s = &used; return 0; }
int cuStreamDestroy_v2(void* s) { (void)s; return 0; }
int cuStreamSynchronize(void* s) {
  (void)s;
  HERE("cuStreamSynchronize");
  while (hanging) pause();
  return 0;
}
/* Graphs: launches of kernels that are known here, with their parameters. */
enum { kMostLaunches = 64 };
struct graph {
  struct {
    void* function;
    unsigned groups, items, local;
    uint64_t parameters[4];
  } launches[kMostLaunches];
  int count, failed;
};
static struct graph* capturing;
int cuStreamBeginCapture_v2(void* s, int mode) {
  (void)s;
  HERE("cuStreamBeginCapture_v2");
  if (mode != 1 || capturing) return 1;
  return capturing = calloc(1, sizeof *capturing), 0;
}
int cuStreamEndCapture(void* s, void** g) {
  (void)s;
  HERE("cuStreamEndCapture");
  struct graph* made = capturing;
  capturing = NULL;
  if (made && made->failed) free(made), made = NULL;
  return *g = made, made ? 0 : 901;
}
int cuGraphInstantiateWithFlags(void** e, void* g, unsigned long long flags) {
  HERE("cuGraphInstantiateWithFlags");
  if (flags) return 1;
  *e = malloc(sizeof(struct graph));
  return memcpy(*e, g, sizeof(struct graph)), 0;
}
int cuGraphDestroy(void* g) { CALLED("cuGraphDestroy"); free(g); return 0; }
int cuGraphExecDestroy(void* e) { CALLED("cuGraphExecDestroy"); free(e); return 0; }
int cuStreamWaitEvent(void* s, void* e, unsigned flags) { (void)s, (void)e, (void)flags; HERE("cuStreamWaitEvent"); return 0; }
int cuEventCreate(void** e, unsigned flags) { (void)flags; HERE("cuEventCreate"); *e = malloc(1); return 0; }
int cuEventDestroy_v2(void* e) { free(e); return 0; }
int cuEventRecord(void* e, void* s) { (void)e, (void)s; HERE("cuEventRecord"); return 0; }
int cuEventElapsedTime(float* ms, void* a, void* b) { (void)a, (void)b; HERE("cuEventElapsedTime"); const char* text = getenv("FAKE_CUDA_MS"); *ms = text ? (float)atof(text) : 0.25f; return 0; }
int cuModuleLoadDataEx(void** m, const void* image, unsigned n, int* options, void** values) {
  (void)n, (void)options, (void)values;
  HERE("cuModuleLoadDataEx");
  const char* text = image;
  if (strncmp(text, kMark, sizeof kMark - 1) && strncmp(text, "// PTX", 6)) return 200;
  *m = strdup(text);
  return 0;
}
int cuModuleUnload(void* m) { HERE("cuModuleUnload"); free(m); return 0; }
/* A kernel of a module. */
struct function {
  size_t index;
  const char* module;
  char name[256];
};
static const char* const kKernels[] = {"add", "twice", "shared", "liftgen_idle", "liftgen_read", "another"};
enum { kKnown = 5 };
static const size_t kBytes[][5] = {{8, 8, 8, 4, 0}, {8, 0}, {8, 0}, {0}, {8, 8, 0}, {0}};
int cuModuleGetFunction(void** f, void* m, const char* name) {
  HERE("cuModuleGetFunction");
  if (!strstr(m, name)) return 500;
  struct function* made = calloc(1, sizeof *made);  // never freed: there are few
  while (made->index < kKnown && strcmp(name, kKernels[made->index])) ++made->index;
  made->module = m;
  strncpy(made->name, name, sizeof made->name - 1);
  return *f = made, 0;
}
int cuFuncGetAttribute(int* v, int what, void* f) {
  HERE("cuFuncGetAttribute");
  *v = what == 0 ? 512 : what == 1 ? (((struct function*)f)->index == 2 ? 40000 : 0) : what == 3 ? 16 : what == 4 ? 40 : 0;
  return 0;
}
int cuFuncSetAttribute(void* f, int what, int v) {
  (void)f;
  char text[64];
  snprintf(text, sizeof text, "attribute %d = %d", what, v);
  note(text);
  HERE("cuFuncSetAttribute");
  if (what == 8) opted_in = v;
  return 0;
}
/* Not told of other kernels: their launches take whatever is passed. */
int cuFuncGetParamInfo(void* f, size_t i, size_t* offset, size_t* n) {
  const size_t k = ((struct function*)f)->index;
  if (k == kKnown) return 801;
  if (i > 4 || kBytes[k][i] == 0) return 1;
  *offset = 0, *n = kBytes[k][i];
  return 0;
}
static int run_elsewhere(const struct function* f, const unsigned grid[3], const unsigned block[3], unsigned local, void** p) {
  static int (*run)(const char*, const char*, const unsigned*, const unsigned*, size_t, void**, size_t (*)(const void*));
  const char* library = getenv("FAKE_CUDA_RUNS");
  if (!library) return 0;
  if (!run) {
    void* opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened) *(void**)&run = dlsym(opened, "liftgen_run_kernel");
    if (!run) return fprintf(stderr, "fake CUDA: %s\n", dlerror()), 999;
  }
  const char* source = f->module + (strncmp(f->module, kMark, sizeof kMark - 1) ? strlen("// PTX\n") : sizeof kMark - 1);
  return run(source, f->name, grid, block, local, p, bytes_at);
}
static void compute(size_t k, size_t n, void** p) {
  float* a = k < 3 ? (float*)(uintptr_t)*(address*)p[0] : NULL;
  if (k == 0) {
    const float *b = (float*)(uintptr_t)*(address*)p[1];
    float* c = (float*)(uintptr_t)*(address*)p[2];
    for (size_t i = 0; i < n; ++i) c[i] = a[i] + *(float*)p[3] * b[i];
  } else if (k == 1) {
    for (size_t i = 0; i < n; ++i) a[i] *= 2;
  }
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned local, void* s, void** p, void** extra) {
  (void)s, (void)extra;
  const struct function* f = function;
  const size_t k = f->index;
  char text[128];
  snprintf(text, sizeof text, "launch %s %ux%ux%u of %ux%ux%u, %u bytes", kKernels[k], gx, gy, gz, x, y, z, local);
  note(text);
  HERE("cuLaunchKernel");
  const int status = counted(f->name);
  if (status) return status;
  if (capturing) {
    if (k == kKnown || capturing->count == kMostLaunches) return capturing->failed = 900;
    const int n = capturing->count++;
    capturing->launches[n].function = function, capturing->launches[n].local = local;
    capturing->launches[n].groups = gx, capturing->launches[n].items = x;
    for (size_t i = 0; i < 4 && kBytes[k][i]; ++i) memcpy(&capturing->launches[n].parameters[i], p[i], kBytes[k][i]);
    return 0;
  }
  if (k == kKnown && !hanging) return run_elsewhere(f, (unsigned[]){gx, gy, gz}, (unsigned[]){x, y, z}, local, p);
  if (k == 2 && 40000 + local > 49152 && (int)local > opted_in) return 1;
  compute(k, (size_t)gx * x, p);
  return 0;
}
static void launch_again(struct graph* g, int n) {
  void* p[4];
  for (int i = 0; i < 4; ++i) p[i] = &g->launches[n].parameters[i];
  const struct function* f = g->launches[n].function;
  const size_t items = (size_t)g->launches[n].groups * g->launches[n].items;
  compute(f->index, items, p);
}
int cuGraphLaunch(void* e, void* s) {
  (void)s;
  HERE("cuGraphLaunch");
  struct graph* g = e;
  for (int n = 0; n < g->count; ++n) launch_again(g, n);
  return 0;
}

/* NVRTC */
struct source {
  char* text;
  int ptx, failed;
};
int nvrtcVersion(int* major, int* minor) { *major = (int)number("FAKE_NVRTC_VERSION", 12), *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int* n) { *n = 3; return 0; }
int nvrtcGetSupportedArchs(int* a) { a[0] = 75, a[1] = 80, a[2] = (int)number("FAKE_NVRTC_NEWEST", 90); return 0; }
int nvrtcCreateProgram(struct source** p, const char* text, const char* name, int n, const char* const* h, const char* const* i) {
  (void)name, (void)n, (void)h, (void)i;
  *p = calloc(1, sizeof **p);
  (*p)->text = strdup(text);
  return 0;
}
int nvrtcDestroyProgram(struct source** p) { free((*p)->text), free(*p); return 0; }
int nvrtcCompileProgram(struct source* p, int n, const char* const* options) {
  CALLED("nvrtcCompileProgram");
  for (int i = 0; i < n; ++i) {
    note(options[i]);
    if (strstr(options[i], "compute_")) p->ptx = 1;
  }
  const char* builtins = getenv("FAKE_NVRTC_OPENS");
  if (builtins && !dlopen(builtins, RTLD_NOW)) return 7;
  p->failed = strstr(p->text, "#error") != NULL;
  return p->failed ? 6 : 0;
}
static const char kLog[] = "kernel.cu(1): error: as asked";
int nvrtcGetProgramLogSize(struct source* p, size_t* n) { *n = p->failed ? sizeof kLog : 1; return 0; }
int nvrtcGetProgramLog(struct source* p, char* to) { strcpy(to, p->failed ? kLog : ""); return 0; }
int nvrtcGetCUBINSize(struct source* p, size_t* n) { *n = p->ptx ? 0 : sizeof kMark + strlen(p->text); return 0; }
int nvrtcGetCUBIN(struct source* p, char* to) { strcpy(to, kMark), strcat(to, p->text); return 0; }
int nvrtcGetPTXSize(struct source* p, size_t* n) { *n = 8 + strlen(p->text); return 0; }
int nvrtcGetPTX(struct source* p, char* to) { strcpy(to, "// PTX\n"), strcat(to, p->text); return 0; }
