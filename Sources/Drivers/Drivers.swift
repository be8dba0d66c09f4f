// Drivers
