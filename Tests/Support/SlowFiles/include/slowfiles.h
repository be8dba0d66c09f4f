#pragma once

// Nothing to call: this takes the place of libc's reads in a program that is started with it.
