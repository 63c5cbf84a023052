import { Component, type ComponentType, type VNode } from 'preact';

/** A component without hooks that is drawn anew only where `isSame` says that it would look different. */
export function memo<P extends object>(
  Inner: (props: P) => VNode,
  isSame: (before: P, after: P) => boolean,
): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !isSame(this.props as P, next);
    }
    override render(): VNode {
      return Inner(this.props as P);
    }
  };
}
