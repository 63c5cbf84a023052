/** The texts of a folder of MDRP: one order, one restaurant, one courier. */
export const mdrpFiles = {
  'orders.txt': 'order\tx\ty\tplacement_time\trestaurant\tready_time\no1\t100\t0\t10\tr1\t25\n',
  'restaurants.txt': 'restaurant\tx\ty\nr1\t0\t0\n',
  'couriers.txt': 'courier\tx\ty\ton_time\toff_time\nc1\t5\t5\t0\t120\n',
  'instance_parameters.txt':
    'meters_per_minute\tpickup service minutes\tdropoff service minutes\ttarget click-to-door\t' +
    'maximum click-to-door\tpay per order\tguaranteed pay per hour\n320\t4\t4\t40\t90\t10\t15\n',
};
