// SPDX-License-Identifier: Apache-2.0

// What is asked of an engine.

import BenchmarkSupport
import Foundation

/// A database under test.
protocol QueryEngine: AnyObject {
  static var name: String { get }

  /// Opens the files with all rows in two classes, with and without indexes, and with 100,000 items
  /// that link to 100 owners; fills them if they are not there.
  init(folder: URL, data: BenchmarkData) throws

  /// Gets ready what is not part of the work; not timed.
  func prepare(_ workload: QueryWorkload) throws
  func answer(_ workload: QueryWorkload, _ data: BenchmarkData) throws -> Int
}
