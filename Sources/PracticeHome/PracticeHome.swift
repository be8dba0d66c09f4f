// PracticeHome
