// SPDX-License-Identifier: Apache-2.0

// The parts of a text that textual operators are about.

/// Where a text is looked for in another. An empty one is found as a whole text only.
enum NeedlePlace {
  case whole, start, end, anywhere
}
