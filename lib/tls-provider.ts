import type { experimental } from '@grpc/grpc-js';
import type { ServerTls } from './server-tls';

type Provider = experimental.CertificateProvider;
type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/** Certificates for connections that a gRPC client makes, those of now for each. */
export class TlsProvider implements Provider {
  private readonly authorities = new Set<CaListener>();
  private readonly identities = new Set<IdentityListener>();

  constructor(private readonly tls: ServerTls & { readonly ca: Buffer }) {
    tls.onChange(() => {
      for (const listener of this.authorities) this.tellAuthority(listener);
      for (const listener of this.identities) this.tellIdentity(listener);
    });
  }

  addCaCertificateListener(listener: CaListener): void {
    this.authorities.add(listener);
    this.tellAuthority(listener);
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.authorities.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.identities.add(listener);
    this.tellIdentity(listener);
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.identities.delete(listener);
  }

  private tellAuthority(listener: CaListener): void {
    listener({ caCertificate: this.tls.ca });
  }

  private tellIdentity(listener: IdentityListener): void {
    listener({ certificate: this.tls.certificate, privateKey: this.tls.key });
  }
}
