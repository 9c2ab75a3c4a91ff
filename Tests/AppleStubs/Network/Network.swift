// SPDX-License-Identifier: Apache-2.0

// The framework Network: what our sources use of it.

public struct NWPath: Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public var status: Status { fatalError() }
}

public final class NWPathMonitor: AsyncSequence, Sendable {
  public typealias Element = NWPath

  public init() {}

  public struct Iterator: AsyncIteratorProtocol {
    public mutating func next() async -> NWPath? { fatalError() }
  }

  public func makeAsyncIterator() -> Iterator { fatalError() }
}
