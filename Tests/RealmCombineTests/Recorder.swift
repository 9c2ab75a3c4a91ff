// SPDX-License-Identifier: Apache-2.0

// Records what publishers publish, and waits for it.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif
import Foundation
import RealmStorage

/// What was published, as texts.
final class Recorder: Sendable {
  private let texts = Locked<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  var all: [String] { texts.withLock { $0 } }

  /// The texts, once there are `count` of them, or what there is after half a minute.
  func wait(for count: Int) async -> [String] {
    for _ in 0..<6_000 where all.count < count { try? await Task.sleep(for: .milliseconds(5)) }
    return all
  }

  /// The texts after what was to come has come; for what must not come.
  func settled() async -> [String] {
    try? await Task.sleep(for: .milliseconds(80))
    return all
  }
}

extension Publisher {
  /// Records the values, and the end. The closures run where the publisher publishes.
  func recorded(
    in recorder: Recorder, _ text: @escaping @Sendable (Output) -> String
  ) -> AnyCancellable {
    sink(
      receiveCompletion: { @Sendable completion in
        switch completion {
        case .finished: recorder.add("end")
        case .failure(let error): recorder.add("error \((error as NSError).code)")
        }
      }, receiveValue: { @Sendable value in recorder.add(text(value)) })
  }

  /// What the publisher publishes: `first` texts at once, and then until there are `count`, after a
  /// change.
  @MainActor func told(
    _ count: Int, first: Int = 0, _ text: @escaping @Sendable (Output) -> String,
    after change: () throws -> Void
  ) async throws -> [String] {
    let recorder = Recorder()
    let subscription = recorded(in: recorder, text)
    _ = await recorder.wait(for: first)
    try change()
    let texts = await recorder.wait(for: count)
    subscription.cancel()
    return texts
  }
}

/// A serial queue that knows itself.
struct Place {
  let queue = DispatchQueue(label: "place")
  private static let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: Self.key, value: true) }

  /// Whether it is called on the main queue.
  static var isMain: Bool {
    DispatchQueue.getSpecific(key: mainKey) == true
  }

  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Says where it is called.
  static var here: String { DispatchQueue.getSpecific(key: key) == true ? "there" : "here" }
}
#endif
