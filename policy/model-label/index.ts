export { labelOfRound } from './label-of-round';
