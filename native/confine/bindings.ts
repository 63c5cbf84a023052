/** The functions of build/native/confine.node, one to one. Internal: use confineProcess. */
import { RoundhouseError } from '#schemas/errors';
import { addonLoader } from '../load-addon';

export interface ConfineBindings {
  abiVersion(): number;
  /** Of the kernel's Landlock; 0: none. */
  landlockVersion(): number;
  /** 0: it holds; else errno. */
  confine(): { readonly noNewPrivileges: number; readonly filter: number };
}

export const loadBindings = addonLoader<ConfineBindings>('confine', {
  abiVersion: 2,
  fault: (message, cause) => new RoundhouseError('INTERNAL', message, [], { cause }),
});
