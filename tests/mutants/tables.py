# SPDX-License-Identifier: MIT
"""What the operators know of CUDA's calls: what their arguments are, what is dropped under which name, what stands for what."""
import re

# What the arguments of a call are. `-` stands for one that no operator changes.
SIGNATURES = {name: labels.split() for name, labels in {
    "cudaMemcpy": "to from size kind", "cudaMemcpyAsync": "to from size kind stream",
    "cudaMemcpyPeer": "to device from device size", "cudaMemcpyPeerAsync": "to device from device size stream",
    "cudaMemcpy2D": "to size from size size - kind", "cudaMemcpy2DAsync": "to size from size size - kind stream",
    "cudaMemcpyToSymbol": "- from size offset kind", "cudaMemcpyToSymbolAsync": "- from size offset kind stream",
    "cudaMemset": "to - size", "cudaMemsetAsync": "to - size stream",
    "cudaMemPrefetchAsync": "to size device stream", "prefetch": "to size device stream", "cudaMemAdvise": "to size - device",
    "cudaMalloc": "- size", "cudaMallocHost": "- size", "cudaHostAlloc": "- size -", "cudaMallocManaged": "- size -",
    "cudaMallocAsync": "- size stream", "cudaMallocFromPoolAsync": "- size - stream", "cudaFreeAsync": "to stream",
    "cudaHostRegister": "to size -", "cudaStreamCreateWithPriority": "- flags priority", "cudaStreamCreateWithFlags": "- flags",
    "cudaStreamSynchronize": "stream", "cudaStreamQuery": "stream", "cudaStreamDestroy": "stream",
    "cudaStreamGetPriority": "stream -", "cudaStreamWaitEvent": "stream event -", "cudaEventRecord": "event stream",
    "cudaEventRecordWithFlags": "event stream -", "cudaEventSynchronize": "event", "cudaEventQuery": "event",
    "cudaEventDestroy": "event", "cudaEventElapsedTime": "- event event", "cudaEventCreateWithFlags": "- flags",
    "cudaLaunchHostFunc": "stream - -", "cudaStreamAddCallback": "stream - - -", "cudaStreamBeginCapture": "stream -",
    "cudaStreamEndCapture": "stream -", "cudaGraphLaunch": "- stream", "cudaSetDevice": "device",
    "cudaDeviceEnablePeerAccess": "device -", "cudaDeviceCanAccessPeer": "- device device",
    "cudaStreamAttachMemAsync": "stream to size -", "cudaLaunchKernel": "- grid block - shared stream",
    "memcpy": "to from size", "memset": "to - size", "malloc": "size", "host_work": "cost",
    "cudaDeviceGetMemPool": "- device", "cudaDeviceGetDefaultMemPool": "- device", "cudaDeviceGetAttribute": "- - device",
}.items()}
CONFIGURATION = ["grid", "block", "shared", "stream"]
TYPES = {"cudaStream_t": "stream", "cudaEvent_t": "event"}

CLASSES = {     # what is dropped, by the call that does the work
    "drop-wait": r"cuda(Stream|Device|Event)Synchronize|sem_wait|wait|join|until_done|pthread_join|pthread_cond_wait|get",
    "drop-order": r"cudaStreamWaitEvent|cudaEventRecord\w*|wait_stream|follow|joins",
    "drop-lock": r"pthread_mutex_\w+|lock|unlock|lock_guard|unique_lock|scoped_lock",
    "drop-notify": r"sem_post|pthread_cond_signal|pthread_cond_broadcast|notify_\w+|set_value|cudaLaunchHostFunc",
    "drop-give-back": r"cudaFree\w*|cuda\w*Destroy|free|sem_destroy|give_back|heap_give|cudaHostUnregister|reset|erase",
    "drop-check": r"cudaGetLastError|cudaPeekAtLastError",
    "drop-device": r"cudaSetDevice|cudaDeviceEnablePeerAccess",
    "drop-prefetch": r"prefetch|cudaMemPrefetchAsync|cudaMemAdvise",
    "drop-work": r"cudaMem(cpy|set)\w*|cudaGraphLaunch|cudaLaunchKernel|memcpy|memset|host_work|copy",
}
WAITS = {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"}
CREATES = re.compile(r"cuda(Malloc|MallocHost|MallocManaged|HostAlloc|StreamCreate\w*|EventCreate\w*)$|sem_init$")
GIVES_BACK = re.compile(r"cuda(Free|FreeHost|StreamDestroy|EventDestroy|GraphDestroy|GraphExecDestroy)$|free$|sem_destroy$")
CONSTANTS = {
    "cudaStreamNonBlocking": ["cudaStreamDefault"], "cudaStreamDefault": ["cudaStreamNonBlocking"],
    "cudaEventDisableTiming": ["cudaEventDefault"], "cudaEventDefault": ["cudaEventDisableTiming"],
    "cudaErrorNotReady": ["cudaSuccess"], "cudaSuccess": ["cudaErrorNotReady"], "true": ["false"], "false": ["true"],
    "cudaCpuDeviceId": ["0"], "<": ["<="], "<=": ["<"], "==": ["!="], "!=": ["=="], ">=": [">"],
    "AT_HOST": ["SYNCED", "AT_DEVICE"], "AT_DEVICE": ["SYNCED", "AT_HOST"], "SYNCED": ["AT_HOST", "AT_DEVICE"],
    "AT_LAUNCH": ["AT_WAIT"], "AT_WAIT": ["AT_LAUNCH"],
}
OTHER_NOTIFY = {"pthread_cond_signal": "pthread_cond_broadcast", "pthread_cond_broadcast": "pthread_cond_signal",
                "notify_one": "notify_all", "notify_all": "notify_one"}
KINDS = ["cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDefault"]
END_WITH_FLAGS = ("cudaStreamWaitEvent", "cudaGraphInstantiate", "cudaDeviceEnablePeerAccess", "cudaEventRecordWithFlags")
NOT_CONSTANTS = ("device", "grid", "block", "shared", "priority")       # other operators change these
TEMPLATES = ("unique_ptr", "lock_guard", "unique_lock", "vector", "deque", "atomic", "function", "initializer_list")
HOST_WORK = "host_work(1000000);"
