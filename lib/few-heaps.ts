/**
 * How glibc keeps the memory of an engine, which it reads from the environment at the start of a process (ADR 0013).
 * Every load of a model starts threads, and new threads would get heaps of their own, up to eight a processor: what is
 * freed in one is of no use to the others, so a process would grow until all of them are in pieces. Two heaps stay as
 * large as what is in use, and give back their ends; buffers of up to 4 MiB come from them, not from the kernel.
 */
export const fewHeaps = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '4194304',
} as const;
