// SPDX-License-Identifier: Apache-2.0

// The parts of a scan, and who does them.

import RealmStorage

/// Shares out parts of a scan among cores.
enum Workers {
  private struct Progress<Result> {
    var next = 0
    var results: [Result?]
    var error: StorageError?

    /// The next part that no worker has; nil after the last one, and after an error.
    mutating func takePart() -> Int? {
      guard error == nil, next < results.count else { return nil }
      next += 1
      return next - 1
    }
  }

  private struct Tools<Tool>: @unchecked Sendable {
    // Sendable: each is used by one thread alone.
    let each: [Tool]
  }

  /// The results of `body` for the parts, in their order.
  ///
  /// - Parameters:
  ///   - tools: what each worker has for itself; no more work than there are tools.
  ///   - body: called on any thread, at one time once for each of the tools at most.
  /// - Throws: the error of one of the parts; the parts that no worker has begun are left out then.
  static func map<Tool, Result>(
    parts: Int, tools: [Tool], _ body: @Sendable (Tool, Int) throws(StorageError) -> Result
  ) throws(StorageError) -> [Result] {
    assert(!tools.isEmpty, "no worker takes a part")
    let tools = Tools(each: tools)
    let progress = Locked(Progress<Result>(results: Array(repeating: nil, count: parts)))
    WorkerPool.shared.run { worker in
      guard worker < tools.each.count else { return }
      while let part = progress.withLock({ $0.takePart() }) {
        do throws(StorageError) {
          let result = try body(tools.each[worker], part)
          progress.withLock {
            assert($0.results[part] == nil, "a part is taken once")
            $0.results[part] = result
          }
        } catch {
          progress.withLock { $0.error = error }
        }
      }
    }
    let (results, error) = progress.withLock { ($0.results, $0.error) }
    if let error { throw error }
    let found = results.compactMap { $0 }
    assert(found.count == parts, "a part was left out without an error")
    return found
  }
}
