package import Foundation
import Graph
package import Kernel

/// A token that travels through a store, and names the row of `installs` that the tap left. Nobody can guess
/// it.
package struct InstallToken: InstallKey {
    package let inviter: User.ID
    package let id: UUID
}
