import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GroupView, PartitionView, Snapshot } from '../../console/messages';
import { count, duration, text } from './format';
import { Icon } from './icons';

const stateWords: Readonly<Record<PartitionView['state'], string>> = {
  committed: '',
  none: 'no commit yet',
  expired: 'the commit is older than what is kept',
  beyond_end: 'the commit is beyond the end',
};

function PartitionRow({ partition }: { partition: PartitionView }): JSX.Element {
  return (
    <tr class="partition">
      <td />
      <th scope="row">partition {partition.partition}</th>
      <td class="right">{stateWords[partition.state]}</td>
      <td class="right">{partition.lag ?? '–'}</td>
      <td class="right" colSpan={1}>
        {partition.committed ?? '–'} of {partition.end}
      </td>
    </tr>
  );
}

function GroupRows({ group }: { group: GroupView }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { groupId, topic, members, backlog, secondsBehind, partitions } = group;
  const isFaulty =
    members === 0 || partitions.some(({ state }) => state === 'expired' || state === 'beyond_end');
  return (
    <tbody>
      <tr>
        <th scope="row">
          <button type="button" class="quiet fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span class="arrow" aria-hidden="true" /> {groupId}
          </button>
        </th>
        <td class="id">{topic}</td>
        <td class="right">
          {isFaulty && <Icon name="bad" />} {count(members).value}
        </td>
        <td class="right">{count(backlog).value}</td>
        <td class="right">{text(duration(secondsBehind))}</td>
      </tr>
      {isOpen &&
        partitions.map((partition) => <PartitionRow key={partition.partition} partition={partition} />)}
    </tbody>
  );
}

/** How far each group is on its topic; each opens its partitions. */
export function Groups({ view }: { readonly view: Snapshot }): JSX.Element {
  return (
    <section aria-labelledby="groups-title" class="panel">
      <h2 id="groups-title">Consumer groups</h2>
      {view.groups.length === 0 ? (
        <p class="empty">The brokers have not been seen yet.</p>
      ) : (
        <div class="wide" tabIndex={0} role="region" aria-label="Table of groups">
          <table>
            <thead>
              <tr>
                <th scope="col">Group</th>
                <th scope="col">Topic</th>
                <th scope="col" class="right">
                  Members
                </th>
                <th scope="col" class="right">
                  Waiting
                </th>
                <th scope="col" class="right">
                  Behind
                </th>
              </tr>
            </thead>
            {view.groups.map((group) => (
              <GroupRows key={`${group.groupId} ${group.topic}`} group={group} />
            ))}
          </table>
        </div>
      )}
    </section>
  );
}
