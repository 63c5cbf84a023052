import { quantiles, rate } from './queries.mjs';

export const rounds = {
  uid: 'roundhouse-rounds',
  title: 'Roundhouse: rounds',
  rows: [
    {
      title: 'In',
      panels: [
        {
          title: 'Acceptance',
          unit: 's',
          queries: quantiles('dispatch_round_acceptance_seconds'),
        },
        { title: 'Cutting into shards', unit: 's', queries: quantiles('dispatch_round_cut_seconds') },
        {
          title: 'Candidates/s',
          unit: 'short',
          queries: {
            published: rate('dispatch_candidates_total', 'service'),
            costed: rate('dispatch_candidates_costed_total', 'model'),
          },
        },
        {
          title: 'Refused and failed submissions/s',
          unit: 'short',
          queries: {
            'refused {{code}}': rate('dispatch_rounds_refused_total', 'code'),
            'failed {{code}}': rate('dispatch_requests_failed_total', 'code'),
          },
        },
      ],
    },
    {
      title: 'Out',
      panels: [
        {
          title: 'Closes/s',
          unit: 'short',
          queries: {
            '{{closed_by}}, outage {{outage}}': rate('dispatch_rounds_closed_total', 'closed_by, outage'),
          },
        },
        { title: 'Close', unit: 's', queries: quantiles('dispatch_round_close_seconds') },
        { title: 'Coverage', unit: 'percentunit', queries: { mean: 'dispatch:round_coverage:ratio_rate5m' } },
        {
          title: 'Late, in haste, abandoned, by backup/s',
          unit: 'short',
          queries: {
            late: rate('dispatch_decisions_late_total', 'service'),
            'effort {{effort}}': rate('dispatch_decisions_in_haste_total', 'effort'),
            'abandoned {{code}}': rate('dispatch_rounds_abandoned_total', 'code'),
            'by backup': rate('dispatch_backup_closes_total', 'service'),
            republished: rate('dispatch_decisions_republished_total', 'service'),
          },
        },
        { title: 'Close budget', unit: 's', queries: { '{{instance}}': 'dispatch_close_budget_seconds' } },
        {
          title: 'Outcomes/s',
          unit: 'short',
          queries: { '{{use}}': rate('dispatch_outcomes_received_total', 'use') },
        },
      ],
    },
  ],
};
