/**
 * For the environment of an engine. Every load of a model starts threads, and glibc gives new threads heaps of their
 * own, eight a processor: what is freed in one is of no use to the others, so a process grows with each load until all
 * of them are in pieces (ADR 0013). Two heaps stay as large as what is in use. glibc reads it at the start of a process.
 */
export const fewHeaps = { MALLOC_ARENA_MAX: '2' } as const;
