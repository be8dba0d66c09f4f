// Sensing
