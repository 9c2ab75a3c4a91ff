// SPDX-License-Identifier: Apache-2.0

// The marks at the end of a storm.

#if Server
/// Compares the marks that are there with those that devices have made.
struct MarkCount {
  /// Marks that are there more than once.
  let repeated: [String]
  /// Marks that are there, and no device was about to make.
  let unknown: [String]
  /// Marks that a device has made, and that are not there.
  let missing: [String]

  init(_ marks: [String], _ entries: Ledger.Entries) {
    let counts = Dictionary(marks.map { ($0, 1) }, uniquingKeysWith: +)
    repeated = counts.filter { $0.value > 1 }.keys.sorted()
    unknown = counts.keys.filter { !entries.marking.contains($0) }.sorted()
    missing = entries.marked.filter { counts[$0] == nil }.sorted()
  }

  /// What is wrong, each in a sentence.
  var problems: [String] {
    [
      (repeated, "marks were applied more than once"), (unknown, "marks were made by no device"),
      (missing, "marks are lost"),
    ].compactMap { marks, what in
      guard !marks.isEmpty else { return nil }
      return "\(marks.count) \(what): " + marks.prefix(10).joined(separator: ", ")
    }
  }
}
#endif
