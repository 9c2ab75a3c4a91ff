// SPDX-License-Identifier: Apache-2.0

// Following work that may take long: checks and copies.

/// Who waits for some work.
package struct WorkWatch {
  /// Called now and then with the part that is done, from 0 to 1; it never goes back.
  package var progress: (Double) -> Void
  /// Whether the rest of the work is not wanted any more.
  package var isCancelled: () -> Bool

  package init(
    progress: @escaping (Double) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
  ) {
    self.progress = progress
    self.isCancelled = isCancelled
  }
}
