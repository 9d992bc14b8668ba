/* SPDX-License-Identifier: MIT */
/*
 * What the calls of an exported pool answer, in the process that has the pool and in one that has
 * imported it, and how long memory lives that both have. Prints lines; judges nothing.
 *
 *   nvcc -O2 -arch=native tests/gpu/processes/pools.cu -o build/pools -lpthread && build/pools
 */
#include "processes.h"

#include <sys/socket.h>

enum { BYTES = 1 << 20 };

/* What both processes see beside `s`. */
struct offered {
    struct cudaMemPoolPtrExportData data[8];
    int seen[8];
};
static struct offered *o;
static int wire[2];             /* P0 sends descriptors of files through it */

static void send_file(int file)
{
    char byte = 0, room[CMSG_SPACE(sizeof file)] = { 0 };
    struct iovec one = { &byte, 1 };
    struct msghdr m = {};
    m.msg_iov = &one, m.msg_iovlen = 1, m.msg_control = room, m.msg_controllen = sizeof room;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(c), &file, sizeof file);
    if (sendmsg(wire[0], &m, 0) != 1)
        say("nothing sent");
}

static int receive_file(void)
{
    int file = -1;
    char byte, room[CMSG_SPACE(sizeof file)];
    struct iovec one = { &byte, 1 };
    struct msghdr m = {};
    m.msg_iov = &one, m.msg_iovlen = 1, m.msg_control = room, m.msg_controllen = sizeof room;
    if (recvmsg(wire[1], &m, 0) == 1)
        memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof file);
    return file;
}

static struct cudaMemPoolProps properties(int types)
{
    struct cudaMemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = cudaMemAllocationTypePinned;
    p.handleTypes = (enum cudaMemAllocationHandleType)types;
    p.location.type = cudaMemLocationTypeDevice;
    return p;
}

/* A kernel that reads x at its end, for a stream that is busy. */
__global__ void late_read(unsigned long long ns, const int *x, int *seen)
{
    unsigned long long begin = timer();
    while (timer() - begin < ns)
        ;
    *seen = *(volatile const int *)x;
}

#define POSIX cudaMemHandleTypePosixFileDescriptor

static void owner(void)
{
    int supported = 0, file = -1, other = -1;
    cudaMemPool_t pool, plain, ordinary, more;
    struct cudaMemPoolProps p = properties(POSIX), q = properties(0), w;
    TELL(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
    say("supported types %#x", supported);
    TELL(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, 0));
    say("IPC events %d", supported);
    TELL(cudaMemPoolCreate(&pool, &p));
    TELL(cudaMemPoolCreate(&plain, &q));
    w = properties(cudaMemHandleTypeWin32);
    TELL(cudaMemPoolCreate(&more, &w));
    w = properties(16);
    TELL(cudaMemPoolCreate(&more, &w));
    CHECK(cudaDeviceGetDefaultMemPool(&ordinary, 0));
    TELL(cudaMemPoolExportToShareableHandle(&other, plain, POSIX, 0));
    TELL(cudaMemPoolExportToShareableHandle(&other, ordinary, POSIX, 0));
    TELL(cudaMemPoolExportToShareableHandle(&other, pool, cudaMemHandleTypeNone, 0));
    TELL(cudaMemPoolExportToShareableHandle(&other, pool, cudaMemHandleTypeWin32, 0));
    TELL(cudaMemPoolExportToShareableHandle(&other, pool, POSIX, 1));
    TELL(cudaMemPoolExportToShareableHandle(NULL, pool, POSIX, 0));
    int *early, *x, *y, *z, *alone, *raw;
    CHECK(cudaMallocFromPoolAsync((void **)&early, BYTES, pool, 0));
    TELL(cudaMemPoolExportPointer(&o->data[0], early));
    TELL(cudaMemPoolExportToShareableHandle(&file, pool, POSIX, 0));
    TELL(cudaMemPoolExportToShareableHandle(&other, pool, POSIX, 0));
    say("the second file is %s", other == file ? "the same" : "another");
    close(other);
    send_file(file);
    close(file);
    CHECK(cudaMallocFromPoolAsync((void **)&x, BYTES, pool, 0));
    CHECK(cudaMallocFromPoolAsync((void **)&y, BYTES, pool, 0));
    CHECK(cudaMallocFromPoolAsync((void **)&z, BYTES, pool, 0));
    CHECK(cudaMallocFromPoolAsync((void **)&alone, BYTES, plain, 0));
    CHECK(cudaMalloc((void **)&raw, BYTES));
    fill<<<1, 256>>>(x, BYTES / 4, 0x11);
    fill<<<1, 256>>>(y, BYTES / 4, 0x22);
    fill<<<1, 256>>>(z, BYTES / 4, 0x33);
    CHECK(cudaDeviceSynchronize());
    TELL(cudaMemPoolExportPointer(&o->data[0], alone));
    TELL(cudaMemPoolExportPointer(&o->data[0], raw));
    TELL(cudaMemPoolExportPointer(&o->data[0], NULL));
    TELL(cudaMemPoolExportPointer(NULL, x));
    TELL(cudaMemPoolExportPointer(&o->data[0], x));
    TELL(cudaMemPoolExportPointer(&o->data[1], y));
    TELL(cudaMemPoolExportPointer(&o->data[2], x + 1024));
    TELL(cudaMemPoolExportPointer(&o->data[3], z));
    say("data of x and of x + 4096 bytes are %s",
        memcmp(&o->data[0], &o->data[2], 64) ? "different" : "alike");
    cudaMemPool_t self;
    TELL(cudaMemPoolExportToShareableHandle(&other, pool, POSIX, 0));
    TELL(cudaMemPoolImportFromShareableHandle(&self, (void *)(long)other, POSIX, 0));
    void *mine;
    TELL(cudaMemPoolImportPointer(&mine, pool, &o->data[0]));
    s->pointer = x;
    meet();                     /* 1 */
    meet();                     /* 2: P1 has imported, read, written */
    int seen = 0;
    CHECK(cudaMemcpy(&seen, x, 4, cudaMemcpyDeviceToHost));
    say("P1 has written %x", seen);
    meet();                     /* 3: P1 reads y in a late kernel; y is freed meanwhile */
    usleep(3000);
    TELL(cudaFreeAsync(y, 0));
    TELL(cudaStreamSynchronize(0));
    int *next;
    TELL(cudaMallocFromPoolAsync((void **)&next, BYTES, pool, 0));
    say("the next allocation is %s", next == y ? "the block that P1 still has" : "another block");
    fill<<<1, 256>>>(next, BYTES / 4, 0x77);
    CHECK(cudaDeviceSynchronize());
    meet();                     /* 4 */
    meet();                     /* 5: P1 has freed its y */
    CHECK(cudaMemcpy(&seen, next, 4, cudaMemcpyDeviceToHost));
    say("P1 has written %x into what has been y", seen);
    TELL(cudaFree(x));
    TELL(cudaMemPoolDestroy(pool));
    TELL(cudaDeviceSynchronize());
    meet();                     /* 6: the pool is destroyed; z and next are not freed */
    meet();                     /* 7: P1 has read z */
    TELL(cudaFreeAsync(z, 0));
    TELL(cudaFreeAsync(next, 0));
    TELL(cudaStreamSynchronize(0));
    meet();                     /* 8 */
    meet();                     /* 9 */
}

static void guest(void)
{
    int file = receive_file(), *x, *y, *z, *t;
    cudaMemPool_t pool, twice;
    cudaStream_t busy;
    int *seen;
    CHECK(cudaMallocHost((void **)&seen, 64));
    CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
    meet();                     /* 1 */
    TELL(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)0, POSIX, 0));
    TELL(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)777, POSIX, 0));
    TELL(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, POSIX, 1));
    TELL(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, cudaMemHandleTypeNone, 0));
    TELL(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, POSIX, 0));
    TELL(cudaMemPoolImportFromShareableHandle(&twice, (void *)(long)file, POSIX, 0));
    say("imported twice: %s", twice == pool ? "the same handle" : "another handle");
    close(file);
    TELL(cudaMallocFromPoolAsync((void **)&t, BYTES, pool, 0));
    TELL(cudaDeviceSetMemPool(0, pool));
    TELL(cudaMemPoolTrimTo(pool, 0));
    unsigned long long value = 0;
    TELL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    TELL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    TELL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    int again = -1;
    TELL(cudaMemPoolExportToShareableHandle(&again, pool, POSIX, 0));
    struct cudaMemPoolPtrExportData junk;
    memset(&junk, 0x5a, sizeof junk);
    cudaMemPool_t ordinary;
    CHECK(cudaDeviceGetDefaultMemPool(&ordinary, 0));
    TELL(cudaMemPoolImportPointer((void **)&x, pool, &junk));
    TELL(cudaMemPoolImportPointer((void **)&x, ordinary, &o->data[0]));
    TELL(cudaMemPoolImportPointer((void **)&x, pool, &o->data[0]));
    say("imported at %s", x == s->pointer ? "the address that P0 has" : "another address");
    TELL(cudaMemPoolImportPointer((void **)&t, pool, &o->data[0]));
    say("imported again: %s", t == x ? "the same address" : "another address");
    int *inner;
    TELL(cudaMemPoolImportPointer((void **)&inner, pool, &o->data[2]));
    say("the data of byte 4096 lead to byte %ld", (long)((char *)inner - (char *)x));
    TELL(cudaMemPoolImportPointer((void **)&y, twice, &o->data[1]));
    TELL(cudaMemPoolImportPointer((void **)&z, pool, &o->data[3]));
    struct cudaPointerAttributes at;
    TELL(cudaPointerGetAttributes(&at, x));
    say("its kind is %d, device %d", at.type, at.device);
    struct cudaMemPoolPtrExportData data;
    TELL(cudaMemPoolExportPointer(&data, x));
    cudaIpcMemHandle_t handle;
    TELL(cudaIpcGetMemHandle(&handle, x));
    TELL(cudaIpcCloseMemHandle(x));
    TELL(cudaMemcpy(seen, x, 4, cudaMemcpyDeviceToHost));
    say("x holds %x", seen[0]);
    fill<<<1, 32>>>(x, 3, 0xabc);
    TELL(cudaDeviceSynchronize());
    meet();                     /* 2 */
    seen[1] = seen[2] = 0;
    late_read<<<1, 1, 0, busy>>>(20000000ull, y, &seen[1]);
    meet();                     /* 3 */
    CHECK(cudaStreamSynchronize(busy));
    meet();                     /* 4: P0 has freed y, and filled its next allocation */
    CHECK(cudaMemcpy(&seen[2], y, 4, cudaMemcpyDeviceToHost));
    say("y, which P0 has freed: a kernel read %x, a copy after that %x", seen[1], seen[2]);
    fill<<<1, 32>>>(y, 3, 0xdef);
    CHECK(cudaDeviceSynchronize());
    late_read<<<1, 1, 0, busy>>>(20000000ull, x, &seen[1]);
    TELL(cudaFreeAsync(y, 0));
    TELL(cudaFreeAsync(y, 0));
    TELL(cudaFree(x));
    TELL(cudaStreamSynchronize(busy));
    TELL(cudaFree(x));
    TELL(cudaFree(x));
    TELL(cudaFree(x));
    meet();                     /* 5 */
    meet();                     /* 6: P0 has destroyed the pool */
    TELL(cudaMemcpy(seen, z, 4, cudaMemcpyDeviceToHost));
    say("z holds %x after P0 has destroyed its pool", seen[0]);
    TELL(cudaMemPoolDestroy(pool));
    TELL(cudaMemcpy(seen, z, 4, cudaMemcpyDeviceToHost));
    meet();                     /* 7 */
    meet();                     /* 8: P0 has freed z */
    TELL(cudaMemcpy(seen, z, 4, cudaMemcpyDeviceToHost));
    TELL(cudaFree(z));
    TELL(cudaMemPoolDestroy(twice));
    TELL(cudaDeviceSynchronize());
    meet();                     /* 9 */
}

static void answers(void) { side_by_side(owner, guest); }

/* A kernel in P1 that runs, and a free of other imported memory: who waits? And an imported pointer
 * of memory whose allocation is not yet over in its stream. */
static void lives(void)
{
    int file, *x, *y, seen = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (me == 0) {
        cudaMemPool_t pool;
        struct cudaMemPoolProps p = properties(POSIX);
        CHECK(cudaMemPoolCreate(&pool, &p));
        CHECK(cudaMemPoolExportToShareableHandle(&file, pool, POSIX, 0));
        send_file(file);
        spin<<<1, 1, 0, stream>>>(20000000ull, stamps);
        CHECK(cudaMallocFromPoolAsync((void **)&x, BYTES, pool, stream));
        CHECK(cudaMallocFromPoolAsync((void **)&y, 64, pool, stream));
        fill<<<1, 256, 0, stream>>>(x, BYTES / 4, 0x44);
        TELL(cudaMemPoolExportPointer(&o->data[0], x));
        TELL(cudaMemPoolExportPointer(&o->data[1], y));
        meet();
        CHECK(cudaStreamSynchronize(stream));
        meet();
        meet();
        _exit(0);               /* with all that P1 has imported */
    }
    cudaMemPool_t pool;
    meet();
    file = receive_file();
    CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, POSIX, 0));
    TELL(cudaMemPoolImportPointer((void **)&x, pool, &o->data[0]));
    TELL(cudaMemPoolImportPointer((void **)&y, pool, &o->data[1]));
    say("y lies %ld bytes behind x", (long)((char *)y - (char *)x));
    meet();
    clear_stamps(1);
    spin<<<1, 1, 0, stream>>>(20000000ull, stamps);
    TELL(cudaFree(y));
    TELL(cudaStreamSynchronize(stream));
    spin<<<1, 1, 0, stream>>>(20000000ull, stamps);
    TELL(cudaMemPoolImportPointer((void **)&y, pool, &o->data[1]));
    TELL(cudaFreeAsync(y, stream));
    TELL(cudaMemPoolDestroy(pool));
    TELL(cudaStreamSynchronize(stream));
    meet();
    sleep(1);
    TELL(cudaMemcpy(&seen, x, 4, cudaMemcpyDeviceToHost));
    say("P0 is gone; P1 reads %x", seen);
    TELL(cudaFree(x));
    TELL(cudaDeviceSynchronize());
}

int main(void)
{
    void (*const all[])(void) = { answers, lives };
    o = (struct offered *)mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                               -1, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, wire) != 0)
        return 2;
    return run_both(all, 2);
}
