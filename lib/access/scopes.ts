/** What a caller of the producer API may do. */
export const producerScopes = ['rounds:write', 'decisions:read', 'observations:write'] as const;
/** What a caller of a worker's KServe ports may do. */
export const modelScopes = ['models:infer', 'models:read', 'models:admin'] as const;

export const scopes = [...producerScopes, ...modelScopes] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
