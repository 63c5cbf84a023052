import type { Metadata } from '@grpc/grpc-js';

/** What a call names as its tenant; unchecked. */
export function tenantOfCall(metadata: Metadata): string | undefined {
  return metadata.get('x-roundhouse-tenant')[0]?.toString();
}
