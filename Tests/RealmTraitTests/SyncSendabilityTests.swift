// SPDX-License-Identifier: Apache-2.0

// Which types of sync and app services may leave their thread, queue or actor. The documentation's
// table of sendable types is asserted in four modules (Tests/DocumentationExamples); what is not
// sendable is here.

#if Sync
import Foundation
import RealmSwiftTestSupport
import Testing

@Suite(
  .enabled(if: SwiftCompiler.executable != nil, "There is no Swift compiler on this machine"))
struct SyncSendabilityTests {
  // Without complete checking the compiler of Swift 5 says nothing of sendability.
  @Test(arguments: [SwiftCompiler.Mode.complete, .swift6])
  func confinedAndUnsynchronisedTypesAreNotSendable(in mode: SwiftCompiler.Mode) throws {
    try SwiftCompiler.expectMarks(
      """
      import RealmSwift

      func requireSendable<T: Sendable>(_: T.Type) {}

      func confined() {
        requireSendable(SyncSubscription.self)  // error: Sendable
        requireSendable(SyncSubscriptionSet.self)  // error: Sendable
        requireSendable(AppConfiguration.self)  // error: Sendable
        requireSendable(FindOneAndModifyOptions.self)  // error: Sendable
        requireSendable(FindOptions.self)  // error: Sendable
        requireSendable(RLMNetworkTransport.self)  // error: Sendable
        requireSendable(RLMRequest.self)  // error: Sendable
        requireSendable(RLMResponse.self)  // error: Sendable
        requireSendable(SyncTimeoutOptions.self)  // error: Sendable
      }
      """, .types, mode)
  }

  @Test(arguments: SwiftCompiler.Mode.allCases)
  func sendableTypesAre(in mode: SwiftCompiler.Mode) throws {
    try SwiftCompiler.expectMarks(
      """
      import RealmSwift

      func requireSendable<T: Sendable>(_: T.Type) {}

      func sendable() {
        requireSendable(AnyBSON.self)
        requireSendable(App.self)
        requireSendable(User.self)
        requireSendable(Credentials.self)
        requireSendable(SyncConfiguration.self)
        requireSendable(SyncManager.self)
        requireSendable(SyncSession.self)
        requireSendable(SyncSession.Progress.self)
        requireSendable(SyncSession.ProgressNotificationToken.self)
        requireSendable(SyncError.self)
        requireSendable(SyncError.ActionToken.self)
        requireSendable(AppError.self)
        requireSendable(AsyncOpenTask.self)
        requireSendable(Realm.AsyncOpenTask.self)
      }
      """, .types, mode)
  }
}
#endif
