#pragma once

/// What the text of a file begins with that fails to be read: the number of the error follows.
#define FAILING_READ_MARK "\001errno "
