//! What readers hold of what they share with others.

mod slow;
