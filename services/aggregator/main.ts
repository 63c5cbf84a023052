import { runService } from '#lib/service';
import { loadAggregatorConfig } from './config';
import { startAggregator } from './start-aggregator';

void runService({ name: 'aggregator', loadConfig: loadAggregatorConfig, start: startAggregator });
