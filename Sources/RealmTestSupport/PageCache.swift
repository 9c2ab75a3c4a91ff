// SPDX-License-Identifier: Apache-2.0

// The system's memory of a simulated file: its differences from the disk.

/// Written pages of a file, with the pages of the disk in their place.
struct PageCache: Sendable {
  static let pageByteCount = 4096

  var loss = PageLoss.none
  /// Whether pages are shown as they are although the system was asked to forget them.
  var isKept = false
  /// The disk's states of the pages before their sync.
  private var waiting: [Int: [UInt8]] = [:]
  /// The disk's states of the pages taken for written.
  private var lost: [Int: [UInt8]] = [:]

  var isModelled: Bool { loss != .none }

  /// Notes a write.
  ///
  /// - Parameters:
  ///   - before: The file as the system showed it before.
  ///   - end: The length of the file after the write.
  /// - Returns: The range for the disk: the range itself, or whole pages if the disk has other ones
  ///   than the system's memory.
  mutating func note(_ range: Range<Int>, before: [UInt8], end: Int) -> Range<Int> {
    let size = Self.pageByteCount
    guard !range.isEmpty else { return range }
    var written = range
    for page in range.lowerBound / size...(range.upperBound - 1) / size {
      if let bytes = lost.removeValue(forKey: page) {
        waiting[page] = waiting[page] ?? bytes
        let start = min(written.lowerBound, page * size)
        written = start..<max(written.upperBound, min(end, (page + 1) * size))
      } else if waiting[page] == nil {
        waiting[page] = Self.bytes(of: page, in: before)
      }
    }
    return written
  }

  mutating func noteSync() { waiting = [:] }

  /// Takes all waiting pages for written; returns the lost ones, nil if nothing is lost.
  mutating func loseWritten() -> Set<Int>? {
    let pages: [Int]
    switch loss {
    case .none: return nil
    case .all: pages = Array(waiting.keys)
    case .some(let seed):
      var random = SeededGenerator(seed: seed)
      pages = waiting.keys.sorted().filter { _ in Bool.random(using: &random) }
    }
    for page in pages { lost[page] = waiting[page] }
    waiting = [:]
    return Set(pages)
  }

  /// The disk's states of the forgotten pages.
  mutating func forget() -> [Int: [UInt8]] {
    guard !isKept else { return [:] }
    defer { lost = [:] }
    return lost
  }

  private static func bytes(of page: Int, in contents: [UInt8]) -> [UInt8] {
    let start = min(page * pageByteCount, contents.count)
    return Array(contents[start..<min(start + pageByteCount, contents.count)])
  }

  /// Gives a page its bytes in another state of the file; zeros behind its end.
  static func restore(_ page: Int, of old: [UInt8], in contents: inout [UInt8]) {
    let start = min(page * pageByteCount, contents.count)
    let end = min(start + pageByteCount, contents.count)
    let bytes = self.bytes(of: page, in: old).prefix(end - start)
    contents.replaceSubrange(
      start..<end, with: bytes + [UInt8](repeating: 0, count: end - start - bytes.count))
  }
}
