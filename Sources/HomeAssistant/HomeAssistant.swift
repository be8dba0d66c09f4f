// HA
