// SPDX-License-Identifier: Apache-2.0

// A place knows whether the caller is there, however the caller came.

import Dispatch
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private actor PlainActor {
  func confinement() -> Confinement { .actor(self) }
  func isCurrent(_ place: Confinement) -> Bool { place.isCurrent }
  func violation(of place: Confinement) -> String { place.violationText }
  func isCurrentAfterSuspension(_ place: Confinement) async -> Bool {
    for _ in 0..<20 { await Task.yield() }
    return place.isCurrent
  }
}

private actor QueueActor {
  let queue = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  func confinement() -> Confinement { .actor(self) }
  func isCurrent(_ place: Confinement) -> Bool { place.isCurrent }
  func violation(of place: Confinement) -> String { place.violationText }
}

private actor ConfinedInInit {
  var place: Confinement?
  init() async { place = .actor(self) }
  func isCurrent() -> Bool? { place?.isCurrent }
}

private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}

private func on<Value: Sendable>(
  _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Value
) async -> Value {
  await withCheckedContinuation { continuation in
    queue.async { continuation.resume(returning: body()) }
  }
}

struct ConfinementTests {
  @Test @MainActor func theMainActorAndTheMainQueueAreOnePlace() async {
    expectEqual(Confinement.current, .main)
    expectEqual(Confinement.actor(MainActor.shared), .main)
    expectEqual(Confinement.queue(.main), .main)
    expectTrue(Confinement.main.isCurrent)
    #expect(await on(.main) { Confinement.current == .main && Confinement.main.isCurrent })
    #expect(await onThread { !Confinement.main.isCurrent })
    #expect(await on(DispatchQueue(label: "other")) { !Confinement.main.isCurrent })
  }

  @Test func aThreadIsItsOwnPlace() async {
    let (first, own) = await onThread { (Confinement.current, Confinement.current.isCurrent) }
    expectTrue(own)
    let (second, foreign) = await onThread { (Confinement.current, first.isCurrent) }
    expectTrue(first != second)
    // The second thread may have got the first one's pointer, but not its number.
    if first.isolationWord != second.isolationWord { #expect(!foreign) }
    expectTrue(first.isolationWord != 0)
  }

  @Test func anActorIsRecognizedOnWhateverThreadItRuns() async {
    let actor = PlainActor()
    let place = await actor.confinement()
    expectEqual(place.isolationWord, 0)
    #expect(await actor.isCurrent(place))
    #expect(await actor.isCurrentAfterSuspension(place))
    expectFalse(place.isCurrent)
    await expectEqual(PlainActor().isCurrent(place), false)
    #expect(await onThread { !place.isCurrent })
    #expect(await MainActor.run { !place.isCurrent })
    await expectEqual(actor.confinement(), place)
  }

  @Test func anActorIsAPlaceInItsOwnInitializer() async {
    await expectEqual(ConfinedInInit().isCurrent(), true)
  }

  @Test func anActorWithACustomExecutorIsRecognized() async {
    let actor = QueueActor()
    let place = await actor.confinement()
    #expect(await actor.isCurrent(place))
    // The actor's own queue is exclusive with the actor.
    #expect(await on(actor.queue.queue) { place.isCurrent })
  }

  @Test func aPlaceDoesNotKeepItsActor() async {
    var actor: PlainActor? = PlainActor()
    weak let observed = actor
    let place = await actor?.confinement()
    expectTrue(observed != nil)
    actor = nil
    expectTrue(observed == nil)
    expectEqual(place?.isCurrent, false)
    expectTrue(place != nil)
  }

  @Test func aQueueIsRecognizedInItsBlocksAndThoseOfQueuesThatTargetIt() async {
    let queue = DispatchQueue(label: "target")
    let above = DispatchQueue(label: "above", target: queue)
    let place = Confinement.queue(queue)
    let placeAbove = Confinement.queue(above)
    expectEqual(place, Confinement.queue(queue))
    expectTrue(place != placeAbove)
    expectFalse(place.isCurrent)
    #expect(await on(queue) { place.isCurrent && !placeAbove.isCurrent })
    #expect(await on(above) { place.isCurrent && placeAbove.isCurrent })
    #expect(await on(DispatchQueue(label: "third")) { !place.isCurrent })
    #expect(queue.sync { place.isCurrent })
  }

  @Test func aViolationSaysWhereTheRealmLivesAndWhereItWasTouched() async {
    let queue = DispatchQueue(label: "accounts")
    let place = Confinement.queue(queue)
    await expectEqual(
      MainActor.run { place.violationText },
      "Realm accessed from incorrect thread. It lives on the queue 'accounts' "
        + "and was touched on the main actor.")
    #expect(
      await on(DispatchQueue(label: "reports")) { place.violationText }
        .contains("and was touched on the queue 'reports', by thread "))
    #expect(
      await PlainActor().violation(of: place)
        .contains("and was touched on the actor PlainActor, by thread "))
    #expect(
      await QueueActor().violation(of: place)
        .contains("and was touched on an actor of the executor QueueExecutor, by thread "))
    let actorPlace = await PlainActor().confinement()
    #expect(
      await onThread { actorPlace.violationText }.hasPrefix(
        "Realm accessed from incorrect thread. It lives on the actor PlainActor "
          + "and was touched on thread "))
  }
}
