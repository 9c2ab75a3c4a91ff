// SPDX-License-Identifier: Apache-2.0

// Looking for bytes in bytes, compared with looking at every place.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct ByteSearchTests {
  private func contains(_ part: [UInt8], in all: [UInt8]) -> Bool {
    all.withUnsafeBytes { all in
      part.withUnsafeBytes { ByteView($0).isPart(of: ByteView(all)) }
    }
  }

  @Test func partsAreFoundWhereTheyAre() {
    var random = SeededGenerator(seed: 1)
    // Few different bytes, so that there are many beginnings of parts.
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...1, using: &random) }
    }
    var found = 0
    for _ in 0..<2_000 {
      let all = bytes(Int.random(in: 0...12, using: &random))
      let part = bytes(Int.random(in: 1...5, using: &random))
      let places = 0..<max(0, all.count - part.count + 1)
      let isThere = places.contains { Array(all[$0..<$0 + part.count]) == part }
      if isThere { found += 1 }
      expectEqual(contains(part, in: all), isThere, "\(part) in \(all)")
    }
    expectTrue((400...1_600).contains(found))
    // Nobody looks for nothing; it is nowhere.
    expectTrue(!contains([], in: [1]) && !contains([], in: []))
  }
}

extension ByteView {
  fileprivate func isPart(of all: ByteView) -> Bool { all.contains(self) }
}
