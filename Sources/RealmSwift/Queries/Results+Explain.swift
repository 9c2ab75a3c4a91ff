// SPDX-License-Identifier: Apache-2.0

// The steps by which results find their elements.

extension Results {
  /// The steps that find the elements, a line for each: which index is used and how many
  /// objects it leaves, or that all are scanned, and by how many threads; which conditions are
  /// tested, in their order, and how those on linked objects are answered; how the elements are
  /// sorted and cut.
  ///
  /// ```swift
  /// print(todos.where { $0.owner == "Ada" && $0.priority > 3 }.explain())
  /// // index: owner == "Ada", 120 of 34000 objects
  /// // test: owner == "Ada", then priority > 3
  /// ```
  /// Indexes are asked, and conditions on linked objects answered, as when the results are
  /// evaluated; nothing else is. The text is for people, and may say more in later versions.
  public func explain() -> String { state.explanation().joined(separator: "\n") }
}
