// SPDX-License-Identifier: Apache-2.0

// What the harness asks of an engine.

import BenchmarkSupport
import Foundation

/// A database under test. Each function does one workload and returns a number that proves it: a
/// count, or the values that were read, combined to one number.
protocol Engine: AnyObject {
  static var name: String { get }

  init(folder: URL, data: BenchmarkData) throws

  /// Throws the small file away and opens an empty one with the schema; not timed.
  func openFresh() throws
  /// Inserts all rows with a commit after each `batch`.
  func insert(batch: Int) throws -> Int
  /// Inserts the first `count` rows, each with a durable commit of its own.
  func insertDurably(count: Int) throws -> Int
  /// Closes the fresh file; not timed.
  func closeFresh() throws

  /// Opens the file with all rows in two classes (keyed by number, and by name), and fills it the
  /// first time; not timed.
  func openLarge() throws
  /// How many bytes the files with all rows have; 0 if they are not open.
  var largeFileByteCount: Int { get }
  /// Gets at hand what `readHeld` reads; not timed.
  func hold(_ rows: [Int]) throws
  func updateDurably(_ updates: [(row: Int, priority: Int)]) throws -> Int
  func lookUpByNumber(_ rows: [Int]) throws -> Int
  func lookUpByName(_ rows: [Int]) throws -> Int
  func readHeld() throws -> Int
  func countRange(_ range: Range<Int>) throws -> Int
  func countOwner(_ owner: String) throws -> Int
  func sum() throws -> Int
  func iterate() throws -> Int
  func iterateValues() throws -> Int
}
