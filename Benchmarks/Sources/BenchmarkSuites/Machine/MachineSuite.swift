// SPDX-License-Identifier: Apache-2.0

// What the machine itself can do: nothing that reads memory or waits for the disk can be faster.

package import BenchmarkSupport
import Foundation

/// Measures memory and disk.
package final class MachineSuite: Suite {
  private let context: SuiteContext
  private static let column = "this machine"
  private static let byteCount = 256 << 20

  package init(_ context: SuiteContext) { self.context = context }

  package func measure(round: Int, _ report: inout Report) throws {
    context.progress("round \(round + 1): the machine")
    let words = Self.byteCount / 8
    let source = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
    let target = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
    defer {
      source.deallocate()
      target.deallocate()
    }
    // Pages are given by the system when they are first written to.
    source.initialize(repeating: 1, count: words)
    target.initialize(repeating: 0, count: words)
    let read = try timed("a sum in memory", expecting: words) { Self.sum(source, words) }
    report.add(
      Double(Self.byteCount) / read, Self.column,
      to: ReportRow("memory-read", "read memory, one core", .gigabytesPerSecond))
    let copied = try timed("a copy in memory", expecting: 1) {
      memcpy(target, source, Self.byteCount)
      return Int(target[words - 1])
    }
    report.add(
      Double(Self.byteCount) / copied, Self.column,
      to: ReportRow("memory-copy", "memcpy", .gigabytesPerSecond))
    for raw in RawCommit.allCases {
      let time = try raw.measure(folder: context.folder, count: context.durableCount)
      report.add(
        time / Double(context.durableCount), Self.column,
        to: ReportRow("disk-\(raw)", "\(raw.rawValue) of the disk, 16 KiB", .microseconds))
    }
  }

  /// Adds up words, eight sums at a time, as wide as the processor does it.
  @inline(never)
  private static func sum(_ start: UnsafeMutablePointer<UInt64>, _ count: Int) -> Int {
    let vectors = UnsafeRawPointer(start).assumingMemoryBound(to: SIMD8<UInt64>.self)
    var (first, second) = (SIMD8<UInt64>(), SIMD8<UInt64>())
    for index in stride(from: 0, to: count / 8, by: 2) {
      first &+= vectors[index]
      second &+= vectors[index + 1]
    }
    return Int((first &+ second).wrappedSum())
  }
}
