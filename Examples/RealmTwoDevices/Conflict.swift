// SPDX-License-Identifier: Apache-2.0

// Two changes that are made at once.

/// What A and B do to the same data, and what comes of it.
struct Conflict: Sendable {
  /// What one device does.
  struct Change: Sendable {
    /// The time by the device's clock, in minutes after ten.
    let minutes: Int
    let text: String
    let edit: @Sendable (TripEditor) throws -> Void

    init(
      at minutes: Int, _ text: String,
      _ edit: @escaping @Sendable (TripEditor) throws -> Void
    ) {
      self.minutes = minutes
      self.text = text
      self.edit = edit
    }

    var time: String { "10:" + (minutes < 10 ? "0" : "") + String(minutes) }
  }

  let title: String
  let a: Change
  let b: Change
  /// What both have in the end.
  let merged: String
  /// Why.
  let rule: String
  /// The data in question.
  let shown: @Sendable (TripReader) throws -> String
}
